package extract

import (
	"archive/zip"
	"bytes"
	"errors"
	"net/textproto"
	"strings"
	"testing"

	"watershed/crawler/extract/pdf"
)

// TestDocuments: the text of documents is given, as that of pages is, and to the same limit.
func TestDocuments(t *testing.T) {
	var docx bytes.Buffer
	z := zip.NewWriter(&docx)
	w, err := z.Create("word/document.xml")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.Write([]byte("<w:document><w:p><w:t>in a letter</w:t></w:p></w:document>")); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	const book = "%PDF-1.4\n1 0 obj <</Type/Page/Resources<</Font<</F<</Subtype/Type1>>>>>>/Contents 2 0 " +
		"R>> endobj\n" +
		"2 0 obj <</Length 30>> stream\nBT /F 9 Tf (in a book) Tj ET   \nendstream endobj\n"
	for _, tt := range []struct {
		name, kind string
		body       []byte
		want       string
		err        error
	}{
		{"pdf", "application/pdf", []byte(book), "in a book", nil},
		{"pdf of no type", "application/octet-stream", []byte(book), "in a book", nil},
		{"no pdf", "application/pdf", []byte("<html>"), "", pdf.ErrFormat},
		{
			"docx", "application/vnd.openxmlformats-officedocument.wordprocessingml.document", docx.Bytes(),
			"in a letter", nil,
		},
		{"docx of no type", "", docx.Bytes(), "in a letter", nil},
		{"plain text", "text/plain", []byte("a <b> fact"), "a <b> fact", nil},
		{"plain text of no type", "", []byte("a fact"), "a fact", nil},
		{"markdown", "text/markdown; charset=utf-8", []byte("# a fact"), "# a fact", nil},
		{"text in an older encoding", "text/plain; charset=windows-1251", []byte("\xec\xe8\xf0"), "мир", nil},
		{"text about an encoding", "text/plain", []byte("мир <meta charset=koi8-r>"), "мир <m", nil},
		{"wide text", "text/plain", []byte("\xff\xfea\x00 \x00b\x00"), "a b", nil},
		{"archive called text", "text/plain", []byte("\x1f\x8b\x08\x00\x00\x00"), "", nil},
		{"style", "text/css", []byte("a{}"), "", nil},
		{"table", "text/csv", []byte("a,b"), "", nil},
		{"picture", "image/png", []byte("\x89PNG\r\n\x1a\n"), "", nil},
	} {
		e, err := New(Options{MaxText: 9})
		if err != nil {
			t.Fatal(err)
		}
		var text strings.Builder
		r := e.Extract(Input{
			URL:    "http://a.example/x",
			Header: textproto.MIMEHeader{"Content-Type": {tt.kind}}, Body: tt.body,
			Text: func(b []byte) { text.Write(b) },
		})
		want := tt.want[:min(len(tt.want), 9)]
		if got := strings.TrimSpace(text.String()); got != want || !errors.Is(r.Err, tt.err) ||
			r.Format != Opaque && r.Format != CSS {
			t.Errorf("%s: %q, %v, %v", tt.name, got, r.Err, r.Format)
		}
	}
}
