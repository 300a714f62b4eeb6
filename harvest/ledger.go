package harvest

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"slices"
	"time"

	"watershed/archive"
	"watershed/page"
	"watershed/replica"
	"watershed/store"
)

// leftOut calls yield with the ledger's line of every URL that was left out because another page
// stands for it.
func (h *Harvest) leftOut(yield func(*store.URL, *store.Entry) error) error {
	if n := h.frontier.Stats().Reasons; n[store.Mirror]+n[store.Collection]+n[store.Copy] == 0 {
		return nil // spares a walk over all URLs
	}
	for x, err := range h.frontier.Left() {
		if err != nil {
			return err
		}
		if x.State != store.Skipped || !x.Reason.Stood() {
			continue
		}
		if err := yield(&x.URL, &x.Entry); err != nil {
			return err
		}
	}
	return nil
}

// rescued calls yield with the ledger's line of every URL that failed on its host and was asked of
// a replica.
func (h *Harvest) rescued(yield func(*store.URL, *store.Entry) error) error {
	if h.copies.Table.Len() == 0 {
		return nil // nothing could stand in, which spares a walk over all URLs
	}
	return h.failures(func(u *store.URL) error {
		var x store.Entry
		err := h.store.View(func(tx *store.Tx) (err error) {
			x, _, err = tx.Entry(h.record.Number, u.URL.Key())
			return err
		})
		if err != nil || x.Representative == "" {
			return err
		}
		return yield(u, &x)
	})
}

// noteReplicas writes a metadata record for each URL that was left out, in WARC files of their own
// in the run's archive, and marks the table's entries by which URLs were left out.
func (h *Harvest) noteReplicas() (err error) {
	opt := h.archiving()
	opt.Dir, opt.Prefix = h.run.Archive(), replicaPrefix(opt.Prefix)
	w, err := archive.NewWriter(opt)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, w.Close()) }()
	held, err := h.notesHeld()
	if err != nil {
		return fmt.Errorf("read what was left out as replicas: %w", err)
	}
	notes := noteWriter{w: w, date: h.record.Started, held: held}
	count := map[string]int{}
	err = h.leftOut(func(u *store.URL, x *store.Entry) error {
		count[u.Rule]++
		return notes.add(u.URL, h.noteOf(u, x))
	})
	if err == nil {
		err = h.rescued(func(u *store.URL, x *store.Entry) error {
			var f archive.Header
			f.Add("failed", u.Failure())
			f.Add("askedInstead", string(x.Representative))
			f.Add("evidence", x.Evidence)
			f.Add("hopsFromSeed", u.Hops)
			return notes.add(u.URL, f)
		})
	}
	if err = errors.Join(err, notes.flush()); err != nil {
		return fmt.Errorf("write what was left out as replicas: %w", err)
	}
	return h.notePrunes(count)
}

// failures calls yield with every URL of the run that could not be had for a fault of its server:
// no answer, or one of 500 and above.
func (h *Harvest) failures(yield func(*store.URL) error) error {
	for u, err := range h.store.URLs(h.record.Number) {
		if err != nil {
			return err
		}
		if u.Vain() {
			if err := yield(&u); err != nil {
				return err
			}
		}
	}
	return nil
}

// notePrunes writes by which entries of the table how many URLs were left out, and marks those
// entries.
func (h *Harvest) notePrunes(count map[string]int) error {
	now := time.Now()
	if err := h.copies.Verify(now); err != nil {
		return err
	}
	var rules []MirrorRule
	for _, from := range slices.Sorted(maps.Keys(count)) {
		e, ok := h.copies.Table.Get(from)
		if !ok || !e.State.InForce() {
			continue
		}
		rules = append(rules, MirrorRule{
			From: from, To: e.To, URLs: count[from], Level: e.Level,
			Decision: e.String(),
		})
		note := fmt.Sprintf("run %d left out %d URLs", h.record.Number, count[from])
		if err := h.copies.Table.Prune(from, replica.Change{Time: now, By: "harvest", Note: note}); err !=
			nil {
			return err
		}
	}
	return errors.Join(h.writeMirrors(rules), h.saveTable())
}

// Mirrors is mirrors.json of a run and of its package: by which rules a URL that was not captured
// is answered by the capture of another. See docs/formats/replicas.md.
type Mirrors struct {
	Version int          `json:"version"` // 1
	Rules   []MirrorRule `json:"rules"`
}

// ReadMirrors reads mirrors.json; a run without one has no rules.
func (r Run) ReadMirrors() (m Mirrors, err error) {
	text, err := os.ReadFile(r.Mirrors())
	if errors.Is(err, fs.ErrNotExist) {
		return m, nil
	}
	if err == nil {
		err = json.Unmarshal(text, &m)
	}
	if err != nil {
		return m, fmt.Errorf("read %s: %w", r.Mirrors(), err)
	}
	return m, nil
}

// MirrorRule replaces the host, or the beginning of the URL, From by To.
type MirrorRule struct {
	From     string `json:"from"`
	To       string `json:"to"`
	URLs     int    `json:"urls"` // that the run left out by it
	Level    int    `json:"level,omitempty"`
	Decision string `json:"decision"`
}

// writeMirrors writes mirrors.json, or takes an old one away where nothing was left out.
func (h *Harvest) writeMirrors(rules []MirrorRule) error {
	if len(rules) == 0 {
		if err := h.disk().Remove(h.run.Mirrors()); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		return nil
	}
	return h.write(h.run.Mirrors(), func(w io.Writer) error {
		out := json.NewEncoder(w)
		out.SetIndent("", "  ")
		return out.Encode(Mirrors{Version: 1, Rules: rules})
	})
}

// noteBatch is how many notes are written at once.
const noteBatch = 256

// noteWriter writes metadata records about URLs, in batches.
type noteWriter struct {
	w     *archive.Writer
	date  time.Time
	held  map[uint64]bool // notes that are written already: see noteOn
	batch []archive.Draft
}

func (n *noteWriter) add(u page.URL, fields archive.Header) error {
	note := archive.Note(u, n.date, fields)
	block, err := io.ReadAll(io.NewSectionReader(note.Block, 0, note.Block.Size()))
	if err != nil || n.held[noteOn(u, block)] {
		return err
	}
	n.batch = append(n.batch, note)
	if len(n.batch) < noteBatch {
		return nil
	}
	return n.flush()
}

func (n *noteWriter) flush() error {
	if len(n.batch) == 0 {
		return nil
	}
	_, err := n.w.Write(n.batch...)
	n.batch = n.batch[:0]
	return err
}

// replicaPrefix begins the names of WARC files that tell of replicas.
func replicaPrefix(prefix string) string { return prefix + "-replicas" }

// noteOf is the metadata record on a URL.
func (h *Harvest) noteOf(u *store.URL, x *store.Entry) archive.Header {
	var f archive.Header
	f.Add("leftOut", u.Reason.String())
	f.Add("representative", string(x.Representative))
	f.Add("replicaRule", u.Rule)
	f.Add("evidence", x.Evidence)
	f.Add("decided", x.Time.UTC().Format(time.RFC3339))
	if e, ok := h.copies.Table.Get(u.Rule); ok {
		f.Add("replicaOf", e.To)
		f.Add("decision", e.String())
		f.Add("decidedBy", e.By)
	}
	f.Add("hopsFromSeed", u.Hops)
	if int(u.Site) < len(h.plan.Sites) {
		f.Add("site", h.plan.Sites[u.Site].Name)
	}
	return f
}
