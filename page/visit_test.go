package page

import "testing"

// TestShown: the bytes of a page tell what it shows unless scripts draw it.
func TestShown(t *testing.T) {
	payload := SumDigest([]byte("shell"))
	for drawing, want := range map[Drawing][2]bool{
		NotDrawn: {true, true}, ToBeDrawn: {false, false}, Drawn: {false, true}, DrawFailed: {false, false},
		DrawDoubted: {true, true}, DrawScripted: {true, true}, DrawThin: {true, true},
	} {
		v := &Visit{Digest: payload, Sketch: []byte("words"), Drawing: drawing}
		got, text := v.Shown()
		if got.IsZero() == want[0] || text == nil == want[1] {
			t.Errorf("drawing %d: payload %v, text %q", drawing, got, text)
		}
	}
	if got, _ := (&Visit{Digest: EmptyDigest}).Shown(); !got.IsZero() {
		t.Error("no bytes are told to be those of another page")
	}
}
