package holdings

import (
	"bytes"
	"cmp"
	"fmt"
	"math"
	"strings"
	"time"

	"watershed/harvest"
	"watershed/harvest/copies"
	"watershed/page"
	"watershed/replica/sketch"
)

// Disagrees says why a capture of a run cannot stand for a URL that the run left out, in words; ""
// where it can: the run has the page that stands for it, its record opens, and its payload is that
// of the last whole capture of the URL before the run or, both being pages or plain text, resembles it
// at level and has what that holds in itself. A URL that no earlier run captured is compared with
// nothing, and errors and redirects are no whole captures. Time: a binary search in the
// index of each run, and both records read.
func (r *Reader) Disagrees(run string, u, stand page.URL, level float64) (string, error) {
	runs, err := r.folder.Runs()
	if err != nil {
		return "", err
	}
	n := 0
	for n < len(runs) && runs[n].Name() != run {
		n++
	}
	last, err := nearest(runs[n:min(n+1, len(runs))], stand, time.Time{})
	switch {
	case err != nil:
		return "", err
	case last == nil || last.URL != stand:
		return "the run has no capture of " + string(stand), nil
	}
	kept, keptDrawn, err := r.shown(last)
	if err != nil {
		return fmt.Sprintf("the capture of %s cannot be read: %v", stand, err), nil
	}
	before, err := lastWhole(runs[:n], u)
	if err != nil || before == nil {
		return "", err
	}
	held, heldDrawn, err := r.shown(before)
	switch {
	case err != nil:
		return fmt.Sprintf("what it held cannot be read: %v", err), nil
	case !heldDrawn && !keptDrawn && bytes.Equal(held.Body, kept.Body) &&
		(len(held.Body) < maxBody || before.entry.Digest == last.entry.Digest):
		return "", nil
	case !held.isText() || !kept.isText():
		return "other bytes than " + string(stand), nil
	}
	if max(len(held.Body), len(kept.Body)) < maxBody && !held.Says.Inlay.Within(kept.Says.Inlay) {
		return "it holds pictures or data in itself that " + string(stand) + " does not", nil
	}
	like, err := resemblance(held.Text, kept.Text)
	if err == nil && like < level {
		return fmt.Sprintf("resemblance %.3f to %s", like, stand), nil
	}
	return "", err
}

// shown reads a capture, with the text that a browser has drawn where one has: then that alone tells the
// page from another one, as in page.Visit.Shown.
func (r *Reader) shown(f *Found) (d *Document, drawn bool, err error) {
	if d, err = r.Read(f); err != nil {
		return nil, false, err
	}
	of, err := f.Drawing()
	if err != nil || of == nil {
		return d, false, err
	}
	d.Text = strings.Join(strings.Fields(of.Text), " ")
	return d, true, nil
}

// isText reports a document that another one may stand for that is like it, as copies.KindOf tells them.
func (d *Document) isText() bool {
	return d.Text != "" && copies.KindOf(cmp.Or(d.Says.Declared, d.Says.Sniffed)) == copies.Text
}

// lastWhole gives the last capture of a URL that is no error or redirect; nil for none.
func lastWhole(runs []harvest.Run, u page.URL) (*Found, error) {
	for i := len(runs) - 1; i >= 0; i-- {
		f, err := nearest(runs[i:i+1], u, time.Time{})
		if err != nil || f != nil && f.URL == u && (f.Status() == "200" || unchanged(f.entry)) {
			return f, err
		}
	}
	return nil, nil
}

// resemblance is that of two texts: exact, or of more than 65,535 shingles an estimate.
func resemblance(a, b string) (float64, error) {
	build, err := sketch.NewBuilder(sketch.Options{Size: math.MaxUint16})
	if err != nil {
		return 0, err
	}
	sketches := [2]sketch.Sketch{}
	for i, text := range []string{a, b} {
		build.Reset()
		build.Text([]byte(strings.ToValidUTF8(text, "")))
		sketches[i] = build.Sketch()
	}
	r, err := sketch.Resemblance(&sketches[0], &sketches[1])
	return r.Value, err
}
