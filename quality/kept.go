package quality

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"watershed/harvest"
	"watershed/internal/disk"
)

// Kept is a report that was kept in a harvest's folder: in quality/report.json, with pictures of its
// pages beside it: harvest.Folder.Picture. The next one replaces it.
type Kept struct {
	Time   time.Time `json:"time"`
	Report *Report   `json:"report"`
}

// Keep replaces what is kept. A crash leaves what there was, or nothing.
func (r *Report) Keep(folder harvest.Folder, now time.Time) error {
	dir := folder.Quality()
	if err := errors.Join(os.RemoveAll(dir), os.MkdirAll(dir, 0o777)); err != nil {
		return fmt.Errorf("keep the report: %w", err)
	}
	for i := range r.Pages {
		p := &r.Pages[i]
		if p.Again == nil {
			continue
		}
		for of, data := range map[harvest.Picture][]byte{
			harvest.PictureAgain: p.Again.view, harvest.PictureDifference: p.Again.difference,
		} {
			if data == nil {
				continue
			}
			if err := os.WriteFile(folder.Picture(urlOf(p.URL), of), data, 0o666); err != nil {
				return fmt.Errorf("keep a picture of %s: %w", p.URL, err)
			}
		}
	}
	return disk.WriteFile(disk.OS{}, filepath.Join(dir, "report.json"), 0o666, func(w io.Writer) error {
		return json.NewEncoder(w).Encode(Kept{now, r})
	})
}

// ReadKept reads what is kept; nil for nothing.
func ReadKept(folder harvest.Folder) (*Kept, error) {
	path := filepath.Join(folder.Quality(), "report.json")
	k, err := disk.FindJSON[Kept](path)
	if k != nil && k.Report == nil {
		k, err = nil, fmt.Errorf("%s has no report", path)
	}
	if err != nil {
		err = fmt.Errorf("the last check by drawing again: %w", err)
	}
	return k, err
}
