package crawler

import (
	"cmp"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"watershed/archive"
	"watershed/page"
	"watershed/replica/sketch"
	"watershed/store"
)

// Options are the crawl's own settings; its parts have options of their own.
type Options struct {
	Workers int // pages under way at once; 0 is 32

	// ObeyRobots says whether robots.txt binds the crawl on a host; nil obeys everywhere.
	ObeyRobots func(page.Host) bool
	// Agent is the product token that robots.txt is read for.
	Agent string

	// NoCookies has no cookie sent, though a host may need it: see cookie.Needs.
	NoCookies bool

	// Spelled tells how a URL that no page names is written, a seed for one; nil has URLs written as
	// they are.
	Spelled func(page.URL) page.Spelling

	// Sketch says how the text of pages is sketched; nil sketches nothing.
	Sketch *sketch.Options

	// Draws says whether a browser draws the pages of a site, by its name, and Tabs how many at once;
	// both are of account where Parts has a browser.
	Draws func(site string) Draws
	Tabs  int // 0 is 1

	// Dedupe decides when a payload that is held already is written as a revisit record.
	Dedupe archive.Dedupe

	// Held reports that the record of an earlier run's capture can still be read, so that a
	// revisit may refer to it; nil believes the store.
	Held func(store.Run, page.Location) bool

	SaveEvery time.Duration // what was fetched is made durable so often; 0 is a second

	Time     time.Duration // the run stops after so long, pauses by hand apart; 0 is no limit
	FreeDisk int64         // bytes that must be free, else the crawl pauses; 0 asks nothing
	DiskWait time.Duration // how long it pauses for room before it gives up; 0 gives up at once
	Paths    []string      // folders whose disks FreeDisk speaks of

	Proxied bool // all requests go through a proxy: hosts have no address of ours

	Log *slog.Logger // nil is silent
	// called with each visit that was committed, one at a time; an error ends the crawl
	Visited func(*page.Visit) error
	// called by each worker before it reads the body of a page, alone where the page is read alone;
	// nil is not called
	Reads    func(page.URL)
	Progress func(Progress) // called each second from the keeper, and at the end; nil is not called
}

// Draws says which pages a browser draws.
type Draws uint8

const (
	DrawNone Draws = iota
	// DrawShells draws those whose scripts do, as far as their markup shows it (see draw.Judge), or as
	// drawings of pages beside them do.
	DrawShells
	DrawAll
)

// Validate reports what is wrong.
func (o Options) Validate() error {
	switch {
	case o.Workers < 0:
		return fmt.Errorf("crawler: %d workers", o.Workers)
	case o.Agent == "":
		return errors.New("crawler: no product token for robots.txt")
	case o.Tabs < 0:
		return fmt.Errorf("crawler: %d tabs", o.Tabs)
	case o.SaveEvery < 0 || o.Time < 0 || o.DiskWait < 0 || o.FreeDisk < 0:
		return errors.New("crawler: a limit is below 0")
	}
	return nil
}

func (o Options) withDefaults() Options {
	o.Workers = cmp.Or(o.Workers, 32)
	o.Tabs = cmp.Or(o.Tabs, 1)
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.Held == nil {
		o.Held = func(store.Run, page.Location) bool { return true }
	}
	o.SaveEvery = cmp.Or(o.SaveEvery, time.Second)
	if o.ObeyRobots == nil {
		o.ObeyRobots = func(page.Host) bool { return true }
	}
	return o
}
