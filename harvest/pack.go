package harvest

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"watershed/archive"
	"watershed/page"
)

// Software is the name of the program in the harvest's files.
const Software = "watershed"

// packer writes the package of a run.
type packer struct {
	*ground
	losses *losses
	kept   []string // packages that have captures which the archive no longer has
}

// apartPrefix is the beginning of the names of WARC files with captures that are kept apart.
func apartPrefix(prefix string) string { return prefix + "-login" }

// keptApart reports a WARC file with captures that are kept apart.
func (g *ground) keptApart(file string) bool {
	return strings.HasPrefix(filepath.Base(file), apartPrefix(g.plan.Archive.Prefix)+"-")
}

// share is what goes into one package of a run.
type share struct {
	path  string
	files []string
	logs  []string
	index string
	has   func(v *page.Visit) bool
}

// pack writes the WACZ of the run, and another one of what was had with logins that are kept apart.
// The logs are in the latter then, since they name its pages.
func (p *packer) pack(d *Delivered) error {
	logs, err := logsOf(p.run)
	if err != nil {
		return err
	}
	if _, err := os.Stat(p.run.Mirrors()); err == nil {
		logs = append(logs, p.run.Mirrors()) // py-wacz refuses files at the top of a package
	}
	name := filepath.Join(string(p.run), fmt.Sprintf("%s-%04d", p.plan.Name, p.record.Number))
	whole := share{
		path: name + ".wacz", files: d.Files, logs: logs, index: p.run.Index(),
		has: func(*page.Visit) bool { return true },
	}
	if !slices.ContainsFunc(d.Files, p.keptApart) {
		d.Package = whole.path
		return p.packShare(d, &whole)
	}
	for _, behind := range []bool{true, false} {
		part := whole
		part.files = slices.DeleteFunc(slices.Clone(d.Files),
			func(f string) bool { return p.keptApart(f) != behind })
		part.has = func(v *page.Visit) bool { return slices.Contains(p.plan.Apart, v.Login) == behind }
		if behind {
			part.path = name + "-login.wacz"
		} else {
			part.logs = nil
		}
		if len(part.files) == 0 {
			continue
		}
		if err := p.packPart(d, &part, behind); err != nil {
			return err
		}
		d.Package = part.path
	}
	return nil
}

// packPart packs a share with the lines of the index that are its own.
func (p *packer) packPart(d *Delivered, s *share, behind bool) (err error) {
	prefix := apartPrefix(p.plan.Archive.Prefix) + "-"
	s.index += ".part"
	defer func() { err = errors.Join(err, p.disk().Remove(s.index)) }()
	err = p.write(s.index, func(w io.Writer) error {
		for line, err := range Lines(p.run.Index()) {
			if err != nil {
				return err
			}
			if bytes.Contains(line, []byte(`"filename": "`+prefix)) != behind {
				continue
			}
			if _, err := w.Write(line); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("divide the index: %w", err)
	}
	return p.packShare(d, s)
}

// packShare writes a package.
func (p *packer) packShare(d *Delivered, s *share) (err error) {
	out := archive.Package{
		Title: p.plan.Title, Description: fmt.Sprintf("Harvest %s, run %d", p.plan.Name, p.record.Number),
		Software: Software, Created: time.Now(), WARCs: s.files, Index: s.index, Logs: s.logs,
		Key: p.plan.Key,
	}
	seeds := map[page.URL]bool{}
	for i, m := range d.Maps {
		for _, u := range m.Seeds {
			seeds[u] = true
		}
		if i == 0 && len(m.Seeds) > 0 {
			out.MainPage = m.Seeds[len(m.Seeds)-1]
		}
	}
	members := membersOf(d.Maps)
	around := surroundingsOf(d.Maps)
	var last map[page.Key]uint64
	if last, out.MainDate, err = p.last(s, out.MainPage); err != nil {
		return err
	}
	if out.MainDate.IsZero() {
		out.MainPage = ""
	}
	var shown *shownReader
	if p.plan.PageText {
		if shown, err = newShownReader(p.ground, p.run.Record); err != nil {
			return err
		}
		if shown.index, err = archive.OpenIndex(p.run.Index()); err != nil {
			return err
		}
		defer func() { err = errors.Join(err, shown.close()) }()
	}
	fits := func(seed bool) func(*page.Visit) bool {
		return func(v *page.Visit) bool { return seeds[v.URL] == seed && last[v.URL.Key()] == v.Seq }
	}
	out.Pages = p.pages(shown, members, around, fits(true))
	out.Extra = p.pages(shown, members, around, fits(false))
	kept, err := p.keepPackage(s.path, s.files)
	if err != nil {
		return err
	}
	if kept != "" {
		p.kept = append(p.kept, kept)
	}
	return archive.WriteWACZ(p.disk(), s.path, out)
}

// last are the visits of pages of a share, the last of each: a script may have had a part of the page before.
// And it tells when that of one of them was.
func (p *packer) last(s *share, u page.URL) (last map[page.Key]uint64, at time.Time, err error) {
	last = map[page.Key]uint64{}
	for v, err := range p.store.Heads(p.record.Number, 0) {
		if err != nil {
			return nil, at, err
		}
		if !isPage(v) || p.losses.of(v) || !s.has(v) {
			continue
		}
		if last[v.URL.Key()] = v.Seq; v.URL == u {
			at = v.Time
		}
	}
	return last, at, nil
}

// isPage reports a capture that a reader would open by itself.
func isPage(v *page.Visit) bool { return !v.Record.IsZero() && v.Page() }

// pages are the lines of pages.jsonl for those pages of the sites, and around them, that fit. shown
// reads their texts and icons; nil leaves these out.
func (p *packer) pages(shown *shownReader, members keys, around surroundings,
	fits func(*page.Visit) bool,
) iter.Seq2[archive.PackagePage, error] {
	return func(yield func(archive.PackagePage, error) bool) {
		for v, err := range p.store.Heads(p.record.Number, 0) {
			if err != nil {
				yield(archive.PackagePage{}, err)
				return
			}
			key := v.URL.Key()
			hops, context := around[key]
			if !members.has(key) && !context || !fits(v) {
				continue
			}
			line := archive.PackagePage{
				ID: archive.PageID(v.URL), URL: v.URL.As(v.Spelled), Date: archive.Date(v.Time),
				Title: v.Title, MIME: v.MIME,
				Status: v.Status, Size: v.Size, Seed: v.Via == "", Depth: len(v.Hops), Context: hops,
			}
			var places []archive.Place
			if shown != nil {
				line.Text, line.Icon, places, err = shown.shown(v)
			}
			if !yield(line, err) {
				return
			}
			line.Seed = false
			for _, at := range places {
				line.ID, line.URL = archive.PageID(page.URL(at.URL)), at.URL
				line.Title, line.Text = at.Title, clipText(at.Text)
				if !yield(line, nil) {
					return
				}
			}
		}
	}
}
