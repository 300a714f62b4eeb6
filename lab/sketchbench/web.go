package sketchbench

import (
	"io/fs"
	"strings"

	"watershed/lab/testweb"
)

// web is the HTML pages of a built test web.
type web struct {
	bodies *testweb.Bodies
	pages  map[string]testweb.Extent // by URL without "http://"
}

func openWeb(fsys fs.FS) (*web, error) {
	w := &web{pages: make(map[string]testweb.Extent)}
	err := testweb.Files(fsys, func(f testweb.File) error {
		if strings.HasPrefix(f.Type, "text/html") {
			w.pages[f.Host+f.Path] = f.Extent
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	w.bodies, err = testweb.OpenBodies(fsys)
	return w, err
}

// page is the body of a URL; false when the web has none of it.
func (w *web) page(url string) (body []byte, ok bool, err error) {
	at, ok := w.pages[strings.TrimPrefix(url, "http://")]
	if !ok {
		return nil, false, nil
	}
	body, err = w.bodies.Read(at, nil)
	return body, err == nil, err
}
