package harvest

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"slices"
	"strings"
	"time"

	"watershed/archive"
	"watershed/frontier"
	"watershed/internal/console"
	"watershed/internal/disk"
	"watershed/page"
	"watershed/replica"
	"watershed/store"

	"github.com/zeebo/xxh3"
)

// ledger tells which URLs of a run were left out, or asked of a replica, and by what decision.
type ledger struct {
	*ground
	frontier *frontier.Frontier
	copies   *room
	left     map[uint32]int // pages in place of which others are kept, by site
}

// leftOut calls yield with the ledger's line of every URL that was left out because another page
// stands for it.
func (l *ledger) leftOut(yield func(*store.URL, *store.Entry) error) error {
	if n := l.frontier.Stats().Reasons; n[store.Mirror]+n[store.Collection]+n[store.Copy] == 0 {
		return nil // spares a walk over all URLs
	}
	for x, err := range l.frontier.Left() {
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
func (l *ledger) rescued(yield func(*store.URL, *store.Entry) error) error {
	if l.copies.Table.Len() == 0 {
		return nil // nothing could stand in, which spares a walk over all URLs
	}
	return l.failures(func(u *store.URL) error {
		var x store.Entry
		err := l.store.View(func(tx *store.Tx) (err error) {
			x, _, err = tx.Entry(l.record.Number, u.URL.Key())
			return err
		})
		if err != nil || x.Representative == "" {
			return err
		}
		return yield(u, &x)
	})
}

// note writes a metadata record for each URL that was left out, in WARC files of their own
// in the run's archive, and marks the table's entries by which URLs were left out.
func (l *ledger) note() (err error) {
	opt := l.archiving()
	opt.Dir, opt.Prefix = l.run.Archive(), replicaPrefix(opt.Prefix)
	w, err := archive.NewWriter(opt)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, w.Close()) }()
	held, err := l.notesHeld()
	if err != nil {
		return fmt.Errorf("read what was left out as replicas: %w", err)
	}
	notes := noteWriter{w: w, date: l.record.Started, held: held}
	count := map[string]int{}
	l.left = map[uint32]int{}
	err = l.leftOut(func(u *store.URL, x *store.Entry) error {
		if count[u.Rule]++; !u.Part {
			l.left[u.Site]++
		}
		return notes.add(u.URL, l.noteOf(u, x))
	})
	if err == nil {
		err = l.rescued(func(u *store.URL, x *store.Entry) error {
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
	return l.notePrunes(count)
}

// failures calls yield with every URL of the run that could not be had for a fault of its server:
// no answer, or one of 500 and above.
func (g *ground) failures(yield func(*store.URL) error) error {
	for u, err := range g.store.URLs(g.record.Number) {
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
func (l *ledger) notePrunes(count map[string]int) error {
	now := time.Now()
	if err := l.copies.Verify(l.record.Started, now); err != nil {
		return err
	}
	var rules []MirrorRule
	for _, from := range slices.Sorted(maps.Keys(count)) {
		e, ok := l.copies.Table.Get(from)
		if !ok || !e.State.InForce() {
			continue
		}
		rules = append(rules, MirrorRule{
			From: from, To: e.To, URLs: count[from], Level: e.Level,
			Decision: e.String(),
		})
		note := fmt.Sprintf("run %d left out %d URLs", l.record.Number, count[from])
		if err := l.copies.Table.Prune(from, replica.Change{Time: now, By: "harvest", Note: note}); err !=
			nil {
			return err
		}
	}
	return errors.Join(l.writeMirrors(rules), l.copies.save())
}

// writeMirrors writes mirrors.json, or takes an old one away where nothing was left out.
func (l *ledger) writeMirrors(rules []MirrorRule) error {
	if len(rules) == 0 {
		if err := l.disk().Remove(l.run.Mirrors()); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		return nil
	}
	return l.write(l.run.Mirrors(), func(w io.Writer) error {
		return console.JSON(w, Mirrors{Version: 1, Rules: rules})
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
func (l *ledger) noteOf(u *store.URL, x *store.Entry) archive.Header {
	var f archive.Header
	f.Add("leftOut", u.Reason.String())
	f.Add("representative", string(x.Representative))
	f.Add("replicaRule", u.Rule)
	f.Add("evidence", x.Evidence)
	f.Add("decided", x.Time.UTC().Format(time.RFC3339))
	if e, ok := l.copies.Table.Get(u.Rule); ok {
		f.Add("replicaOf", e.To)
		f.Add("decision", e.String())
		f.Add("decidedBy", e.By)
	}
	f.Add("hopsFromSeed", u.Hops)
	if int(u.Site) < len(l.plan.Sites) {
		f.Add("site", l.plan.Sites[u.Site].Name)
	}
	return f
}

// notesHeld are the notes on left out URLs that the archive has already, in files of an earlier
// delivery of the run.
func (l *ledger) notesHeld() (map[uint64]bool, error) {
	held := map[uint64]bool{}
	files, err := disk.List(l.run.Archive(), replicaPrefix(l.plan.Archive.Prefix)+"-", ".warc.gz")
	for _, path := range files {
		if err := addNotes(held, path); err != nil {
			return nil, fmt.Errorf("read %s: %w", path, err)
		}
	}
	return held, err
}

func addNotes(held map[uint64]bool, path string) (err error) {
	r, err := archive.OpenFile(path)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, r.Close()) }()
	for {
		rec, err := r.Next()
		var format *archive.FormatError
		// notes that cannot be read are written once more
		if errors.Is(err, io.EOF) || errors.As(err, &format) {
			return nil
		}
		var block []byte
		if err == nil {
			block, err = io.ReadAll(rec.Block)
		}
		if errors.As(err, &format) {
			return nil
		}
		if err != nil {
			return err
		}
		held[noteOn(page.URL(rec.Header.Get("WARC-Target-URI")), block)] = true
	}
}

// noteOn is a number for the statement of a note: the URL, whether it was left out or asked
// elsewhere, and the page that stands for it. The first two lines of a note say so; the later lines
// tell how the decision stood at the time.
func noteOn(u page.URL, block []byte) uint64 {
	lines := strings.SplitAfterN(string(block), "\n", 3)
	return xxh3.HashString(string(u) + "\n" + strings.Join(lines[:min(len(lines), 2)], ""))
}
