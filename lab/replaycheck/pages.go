// Package replaycheck opens pages of a harvest in headless Chromium, live and in our replay, and
// tells what the live page loaded that the replay did not, and what the replay asked of others.
//
// The live web is that which the proxy gives; without one, the real one. Scripts run on neither
// side, since the replay runs none.
package replaycheck

import (
	"context"
	"fmt"
	"io"

	"watershed/harvest"
)

// Pages is the command of the laboratory.
type Pages struct {
	Harvest  string `arg:""`
	Browser  string `default:".ci/browser/launch.cjs" placeholder:"FILE"`
	Proxy    string `placeholder:"HOST:PORT"`
	Pages    int    `default:"20"`
	Seed     uint64 `default:"1"`
	Pictures string `placeholder:"DIR"`
}

// Run is the command. Pages that differ are an error.
func (c *Pages) Run(ctx context.Context, out io.Writer) error {
	verdicts, err := (&check{
		Folder: harvest.Folder(c.Harvest), Browser: c.Browser, Proxy: c.Proxy, Pictures: c.Pictures,
		Pages: c.Pages, Seed: c.Seed,
	}).run(ctx)
	if err != nil {
		return err
	}
	bad := 0
	for _, v := range verdicts {
		v.print(out)
		if !v.good() {
			bad++
		}
	}
	fmt.Fprintf(out, "%d pages, %d as they were live\n", len(verdicts), len(verdicts)-bad)
	if bad > 0 {
		return fmt.Errorf("%d pages differ", bad)
	}
	return nil
}
