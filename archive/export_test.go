package archive

import (
	"iter"

	"watershed/page"
)

// Current tells the final name and the present length of the file being written; "" when there is
// none.
func (w *Writer) Current() (name string, size int64) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.cur == nil {
		return "", 0
	}
	return w.cur.name, w.cur.size
}

// URL gives the index entries of a URL, in the order of the index.
func (w *WACZ) URL(u page.URL) iter.Seq2[*Entry, error] {
	key := u.SURT()
	return func(yield func(*Entry, error) bool) {
		for e, err := range w.entries(key) {
			if err == nil && (e.Key != key || !e.Spells(u)) {
				continue
			}
			if !yield(e, err) {
				return
			}
		}
	}
}
