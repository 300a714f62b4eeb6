package office

import (
	"errors"
	"runtime"
	"strings"
	"testing"
)

// TestLongRuns: text without a tag comes whole, in little memory; tags, comments and sections that are as
// long are not read.
func TestLongRuns(t *testing.T) {
	for name, piece := range map[string]string{
		"ASCII": "a long text ", "Chinese": "很长的文本", "references": "R&amp;D &#x10ffff;", "one word": "a",
	} {
		unit := strings.NewReplacer("&amp;", "&", "&#x10ffff;", "\U0010ffff").Replace(piece)
		times := (16 << 20) / len(piece)
		body := document(t, "word/document.xml", "<w:t>"+strings.Repeat(piece, times)+"</w:t>")
		var before, after runtime.MemStats
		sum, wrong := 0, false
		runtime.ReadMemStats(&before)
		err := Text(body, Options{}, func(got []byte) {
			for _, c := range got {
				wrong = wrong || c != unit[sum%len(unit)]
				sum++
			}
		})
		runtime.ReadMemStats(&after)
		if took := after.TotalAlloc - before.TotalAlloc; err != nil || wrong || sum != times*len(unit) ||
			took > 4<<20 && unit == piece { // a decoder allocates for each reference
			t.Errorf("%s: %v, %d bytes of %d, wrong: %v, %d MB allocated", name, err, sum,
				times*len(unit), wrong, took>>20)
		}
	}
	long := strings.Repeat("a", 8<<20)
	for name, xml := range map[string]string{
		"tag": "<w:t>first</w:t><w:x a='" + long + "'/>", "comment": "<w:t>first</w:t><!-- > " + long + "-->",
		"section":     "<w:t>first<![CDATA[ > " + long + "]]></w:t>",
		"instruction": "<w:t>first</w:t><?x > " + long + "?>",
	} {
		if got, err := text(document(t, "word/document.xml", xml), Options{}); got != "first" ||
			!errors.Is(err, ErrTooLarge) {
			t.Errorf("%s: %.20q, %v", name, got, err)
		}
	}
	short := "<w:t>a<!-- <b> --><![CDATA[<c>]]><?d > ?>e</w:t>"
	if got, err := text(document(t, "word/document.xml", short), Options{}); got != "a<c>e" || err != nil {
		t.Errorf("%q, %v", got, err)
	}
}
