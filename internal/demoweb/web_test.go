package demoweb

import (
	"testing"
)

func TestPrint(t *testing.T) {
	w := New(Options{})
	n := 0
	for _, s := range w.Sites() {
		t.Log(s.Name, len(s.Pages), s.NoFollow, len(s.Requisites), s.Discovery)
		n += len(s.Pages)
	}
	t.Log(n, len(w.docs), w.Disallowed())
	t.Log(len(New(Options{Epoch: 1}).Changes()))
	t.Log(string(w.docs["http://www.gemo.example/"].body))
	t.Log(string(w.docs["http://www.lantern.example/feed.xml"].body))
	t.Log(string(w.docs["http://people.campus.example/~anna/seen/"].body))
}
