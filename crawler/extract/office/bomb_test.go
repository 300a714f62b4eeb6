package office

import (
	"archive/zip"
	"errors"
	"strings"
	"testing"

	"watershed/lab/kit/bomb"
)

// TestDepth: elements are counted, not stacked.
func TestDepth(t *testing.T) {
	body := document(t, "content.xml", string(bomb.Nested("<text:p>")))
	bomb.Holds(t, 1<<30, func() { _, _ = text(body, Options{}) }) // it ends within an element
}

// TestPacked: the packed bytes of a part count, which may give nothing.
func TestPacked(t *testing.T) {
	left := int64(1 << 10)
	err := readPart(&zip.File{FileHeader: zip.FileHeader{Name: "content.xml", CompressedSize64: 1 << 20}},
		&left, func([]byte) {})
	if !errors.Is(err, ErrTooLarge) {
		t.Error(err)
	}
	if got, err := text(document(t, "content.xml", "<text:p>"+strings.Repeat("a ", 9)+"</text:p>"),
		Options{}); err != nil || len(got) != 17 {
		t.Errorf("%q, %v", got, err)
	}
}
