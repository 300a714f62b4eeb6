package archive

import (
	"iter"
	"os"
	"path"

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
	return func(yield func(*Entry, error) bool) {
		for e, err := range w.Entries() {
			if (err != nil || e.Spells(u)) && !yield(e, err) {
				return
			}
		}
	}
}

// Open reads the record that an index entry leads to, of a file that is stored.
func (w *WACZ) Open(e *Entry) (*Record, error) {
	in, ok := w.Section("archive/" + path.Base(e.File))
	if !ok {
		return nil, os.ErrNotExist
	}
	return OpenAt(in, e.Location())
}

// Files gives the names of the writer's files, in their order.
func (w *Writer) Files() []string {
	names, _ := Files(w.opt.Dir) // a folder that cannot be read has none
	return names
}
