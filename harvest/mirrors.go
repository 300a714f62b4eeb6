package harvest

import (
	"watershed/internal/disk"
)

// Mirrors is mirrors.json of a run and of its package: by which rules a URL that was not captured
// is answered by the capture of another. See docs/formats/replicas.md.
type Mirrors struct {
	Version int          `json:"version"` // 1
	Rules   []MirrorRule `json:"rules"`
}

// ReadMirrors reads mirrors.json; a run without one has no rules.
func (r Run) ReadMirrors() (m Mirrors, err error) {
	x, err := disk.FindJSON[Mirrors](r.Mirrors())
	if x == nil {
		return m, err
	}
	return *x, nil
}

// MirrorRule replaces the host, or the beginning of the URL, From by To.
type MirrorRule struct {
	From     string `json:"from"`
	To       string `json:"to"`
	URLs     int    `json:"urls"` // that the run left out by it
	Level    int    `json:"level,omitempty"`
	Decision string `json:"decision"`
}
