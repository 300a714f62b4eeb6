package office

import (
	"archive/zip"
	"bytes"
	"errors"
	"strings"
	"testing"
)

// document packs files, given as name and content in turn.
func document(t testing.TB, files ...string) []byte {
	t.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for i := 0; i < len(files); i += 2 {
		w, err := z.Create(files[i])
		if err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write([]byte(files[i+1])); err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func text(body []byte, o Options) (string, error) {
	var b strings.Builder
	err := Text(body, o, func(p []byte) { b.Write(p) })
	return strings.Join(strings.Fields(b.String()), " "), err
}

func TestText(t *testing.T) {
	for _, tt := range []struct {
		name  string
		files []string
		want  string
	}{
		{"docx", []string{
			"[Content_Types].xml", "<Types/>", "word/styles.xml", "<w:styles><w:t>no</w:t></w:styles>",
			"word/document.xml",
			`<?xml version="1.0"?><w:document xmlns:w="x"><w:body><w:p><w:r><w:t>Some </w:t></w:r><w:r>` +
				`<w:t>wo</w:t><w:t>rds</w:t><w:tab/><w:t>&amp; more</w:t></w:r></w:p><w:p>` +
				`<w:instrText>no</w:instrText><w:t>Next</w:t></w:p></w:body></w:document>`,
		}, "Some words & more Next"},
		{"xlsx", []string{
			"xl/worksheets/sheet10.xml", `<c><is><t>tenth</t></is><v>7</v></c>`, "xl/worksheets/sheet2.xml",
			`<c><is><t>second</t></is></c>`,
			"xl/sharedStrings.xml", `<sst><si><t>a</t></si><si><r><t>b</t></r><r><t>c</t></r></si></sst>`,
		}, "a bc second tenth"},
		{"pptx", []string{
			"ppt/slides/slide2.xml", `<a:p><a:t>two</a:t></a:p>`, "ppt/slides/slide1.xml",
			`<a:p><a:t>one</a:t></a:p>`,
		}, "one two"},
		{"odt", []string{
			"mimetype", "application/vnd.oasis.opendocument.text", "content.xml",
			`<office:body><text:h>Head</text:h><text:p>a<text:span>b</text:span>` +
				`<text:s/>c<text:line-break/>d</text:p> no <text:p>e</text:p></office:body>`,
		}, "Head ab c d e"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got, err := text(document(t, tt.files...), Options{}); err != nil || got != tt.want {
				t.Errorf("%q, %v, want %q", got, err, tt.want)
			}
		})
	}
}

func TestErrors(t *testing.T) {
	if !IsOffice("application/vnd.oasis.opendocument.text") || IsOffice("application/zip") {
		t.Error("media types")
	}
	for name, body := range map[string][]byte{
		"nothing": nil, "a page": []byte("<html>"), "a zip file of other things": document(t, "a.txt", "x"),
		"half a zip file": document(t, "content.xml", "<p/>")[:40],
	} {
		if _, err := text(body, Options{}); !errors.Is(err, errFormat) {
			t.Errorf("%s: %v", name, err)
		}
	}
	bomb := document(t, "content.xml", "<text:p>"+strings.Repeat("a ", 1<<20)+"</text:p>")
	got, err := text(bomb, Options{MaxXML: 1 << 16})
	if !errors.Is(err, ErrTooLarge) || len(got) > 1<<16 {
		t.Errorf("%d bytes of text from %d packed: %v", len(got), len(bomb), err)
	}
	if _, err := text(document(t, "content.xml", "<text:p>a</b"), Options{}); err == nil {
		t.Error("broken XML: no error")
	}
}

func FuzzText(f *testing.F) {
	f.Add(document(f, "content.xml", "<text:p>a</text:p>"))
	f.Add(document(f, "word/document.xml", "<w:t>a</w:t>"))
	f.Fuzz(func(t *testing.T, body []byte) {
		n := 0
		err := Text(body, Options{MaxXML: 1 << 16}, func(p []byte) { n += len(p) })
		if n > 1<<17 {
			t.Fatalf("%d bytes of text, %v", n, err)
		}
	})
}
