package demoweb

import (
	"testing"
)

func TestPrint(t *testing.T) {
	w := New(Options{Epoch:1})
	s,_ := w.Site("society")
	for _, p := range s.Pages { t.Log(p) }
}
