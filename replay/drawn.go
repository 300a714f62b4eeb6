package replay

import (
	"bytes"
	"errors"
	"io/fs"
	"net/http"
	"os"
	"time"

	"watershed/archive"
	"watershed/harvest"
	"watershed/holdings"
	"watershed/page"
)

// drawn serves a page as it stood when a browser had drawn it, without its scripts.
func (s *Server) drawn(w http.ResponseWriter, r *http.Request, folder harvest.Folder, u page.URL,
	at time.Time,
) {
	f, err := holdings.Find(folder, u, at)
	var markup []byte
	if err == nil {
		markup, err = f.Drawn(archive.DrawnMarkup)
	}
	if err == nil && markup == nil {
		err = holdings.ErrNotHeld
	}
	if err != nil {
		status, text := problem(err)
		http.Error(w, text, status)
		return
	}
	pagePolicy(w, r)
	send(w, http.StatusOK, "text/html; charset=utf-8",
		bytes.NewReader(rewriteMarkup(markup[:min(len(markup), maxMarkup)], f.URL, linker(f))))
}

// picture serves a picture of a page that a browser has drawn: view or thumbnail when it was captured,
// again or difference when it was drawn out of the archive.
func (s *Server) picture(w http.ResponseWriter, r *http.Request, folder harvest.Folder, u page.URL,
	at time.Time,
) {
	var data []byte
	var err error
	switch of := r.URL.Query().Get("of"); of {
	case "view", "thumbnail":
		var f *holdings.Found
		if f, err = holdings.Find(folder, u, at); err == nil {
			data, err = f.Drawn(map[string]archive.Drawn{
				"view": archive.DrawnView, "thumbnail": archive.DrawnThumbnail,
			}[of])
		}
	case string(harvest.PictureAgain), string(harvest.PictureDifference):
		data, err = os.ReadFile(folder.Picture(u, harvest.Picture(of)))
	}
	switch {
	case data == nil && err == nil, errors.Is(err, fs.ErrNotExist):
		http.NotFound(w, r)
	case err != nil:
		status, text := problem(err)
		http.Error(w, text, status)
	default:
		send(w, http.StatusOK, "image/jpeg", bytes.NewReader(data))
	}
}
