package quality

import (
	"fmt"

	"watershed/crawler/draw"
	"watershed/harvest"
	"watershed/page"
)

// Defaults and bounds of Options.
const (
	defaultPages = 20
	MaxPages     = 1000

	maxDepth      = 4   // steps from a page to what a frame's style sheet names
	maxRequisites = 500 // of a page; the others are counted only
)

// Options say which pages are checked, and how. The zero value checks defaultPages pages of all
// runs.
type Options struct {
	Pages int    // to be drawn; 0 means defaultPages
	Seed  uint64 // of the draw
	// Runs are those whose pages are drawn; nil means all of the harvest. Captures of any run count
	// as held.
	Runs []harvest.Run
	// Draw has a browser draw pages again, out of the archive alone; then the pages are among those
	// that a browser has drawn. nil draws none.
	Draw  *draw.Options
	Drawn func(page.URL) // hears of each page that is about to be drawn again; may be nil
}

// Validate tells what is wrong with the options.
func (o Options) Validate() error {
	if o.Pages < 0 || o.Pages > MaxPages {
		return fmt.Errorf("quality: %d pages; at most %d are checked at once", o.Pages, MaxPages)
	}
	return nil
}
