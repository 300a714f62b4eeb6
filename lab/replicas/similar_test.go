package replicas

import (
	"archive/zip"
	"bytes"
	"testing"

	"watershed/replica/sketch"
)

// TestSketchOf: a file says the same whatever its form, and is as a crawl would have read the page.
func TestSketchOf(t *testing.T) {
	const text = "The harbour was dredged in the spring of that year and the merchants sent their " +
		"ships at once"
	var docx bytes.Buffer
	z := zip.NewWriter(&docx)
	w, err := z.Create("word/document.xml")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.Write([]byte("<w:document><w:p><w:t>" + text + "</w:t></w:p></w:document>")); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	pdf := "%PDF-1.4\n1 0 obj <</Type/Page/Resources<</Font<</F<</Subtype/Type1>>>>>>/Contents 2 0 R>> " +
		"endobj\n" +
		"2 0 obj <</Length 200>> stream\nBT /F 9 Tf (" + text + ") Tj ET   \nendstream endobj\n"
	want, _, err := sketchOf("a.txt", []byte(text), sketch.Options{})
	if err != nil {
		t.Fatal(err)
	}
	digests := map[uint64]bool{}
	for name, body := range map[string][]byte{
		"b.txt":          []byte("THE " + text[4:]),
		"no-end":         []byte(text + "."),
		"page.html":      []byte("<p>" + text),
		"no-end-of-html": []byte("<!doctype html><title>Other</title><p>" + text),
		"book.pdf":       []byte(pdf),
		"letter.docx":    docx.Bytes(),
		"marked":         []byte("\xef\xbb\xbf" + text),
	} {
		got, digest, err := sketchOf(name, body, sketch.Options{})
		if err != nil || !got.SameWords(want) {
			t.Errorf("%s: %d tokens, want %d, %v", name, got.Tokens, want.Tokens, err)
		}
		if digest == 0 || digests[digest] {
			t.Errorf("%s: digest %x", name, digest)
		}
		digests[digest] = true
	}
	if got, digest, err := sketchOf("empty.html", nil, sketch.Options{}); err != nil || !got.Empty() ||
		digest != 0 {
		t.Errorf("an empty file: %d tokens, digest %x, %v", got.Tokens, digest, err)
	}
}
