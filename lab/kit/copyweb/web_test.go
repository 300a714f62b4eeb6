package copyweb

import (
	"bytes"
	"net/http"
	"net/http/httptest"
	"testing"
)

// TestWeb: the same seed makes the same web, each attack befalls a family, webs change between
// epochs, and a request is answered by what is told of the web.
func TestWeb(t *testing.T) {
	w, same := New(3, 165), New(3, 165)
	befell := map[string]bool{}
	changed, alike := 0, 0
	for _, f := range w.Families {
		for _, a := range f.Attacks {
			befell[a] = true
		}
		for _, h := range f.Hosts[:2] {
			pages := f.trees[1][h].paths("", ".png", ".txt")
			for _, at := range pages[:min(len(pages), 20)] {
				for epoch := range Epochs {
					_, a, _ := w.Body(epoch, h, at)
					if _, b, _ := same.Body(epoch, h, at); !bytes.Equal(a, b) {
						t.Fatalf("http://%s%s is not the same in another web of the seed", h, at)
					}
				}
				_, before, _ := w.Body(0, h, at)
				words, now, ok := w.Body(1, h, at)
				if !bytes.Equal(before, now) {
					changed++
				} else if _, first, _ := w.Body(1, f.Hosts[0], at); bytes.Equal(first, now) {
					alike++
				}
				if w.Go(1); ok && at != "*" && words == nil && !bytes.Equal(w.answer(t, h, at), now) {
					t.Errorf("http://%s%s is answered otherwise", h, at)
				}
			}
		}
	}
	if len(befell) != len(attacks) || changed < 50 || alike < 50 {
		t.Errorf("%d of %d attacks, %d documents change, %d are as they were and as the original's",
			len(befell), len(attacks), changed, alike)
	}
}

func (w *Web) answer(t *testing.T, host, at string) []byte {
	t.Helper()
	r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "http://"+host+at, http.NoBody)
	out := httptest.NewRecorder()
	w.ServeHTTP(out, r)
	return out.Body.Bytes()
}
