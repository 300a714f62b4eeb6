package store

import (
	"encoding/binary"
	"fmt"
	"iter"
	"net/netip"
	"time"

	"watershed/page"
)

// Host is the record of a host in a run: its number, the counts of its URLs and bytes, and the
// pauses that are owed to it.
type Host struct {
	Name   page.Host
	Number uint32 // from 1, in the order in which hosts got their first pending URL

	// finished URLs: fetched and no redirects, given up, skipped, and of these by robots.txt
	Done, Failed, Skipped, Robots uint64
	Files                         uint64 // of those fetched, that are files
	Bytes                         int64  // received

	Due        time.Time     // no request before
	Last       time.Time     // end of the last request
	Origins    [Lanes]Origin // what answers at the host's port, for each scheme
	Slow       uint8         // each step doubles the gap between requests; up on 429 and 503, down on success
	CrawlDelay time.Duration // from robots.txt; 0 for none
	MinDelay   time.Duration // set by hand while crawling; 0 for none
	Address    netip.Addr    // that it was last fetched from; invalid while unknown
}

// Lane tells the two origins of a host apart: they have its name and port, or the port that each
// scheme has by itself.
type Lane uint8

// The lanes. They are stored: a number never changes its meaning.
const (
	HTTP Lane = iota
	HTTPS
	Lanes = 2
)

func (l Lane) String() string {
	if l == HTTPS {
		return "https"
	}
	return "http"
}

// LaneOf is the lane of a URL.
func LaneOf(u page.URL) Lane {
	if u.Scheme() == "https" {
		return HTTPS
	}
	return HTTP
}

// Origin is the record of one of a host's origins in a run. An origin may be dead while the other
// one answers: nothing listens at its port, or its TLS is broken.
type Origin struct {
	Failures uint32    // attempts without a usable answer since the last one with
	Due      time.Time // no request before, for its failures; zero for none
	GivenUp  bool
	Cause    string // of the last of its failures, at most 255 bytes; "" for none
}

// GivenUp reports that an origin was given up.
func (h *Host) GivenUp() bool { return h.Origins[HTTP].GivenUp || h.Origins[HTTPS].GivenUp }

const (
	hostGivenUp = 1 << iota
	hostSecureGivenUp
	hostHasOrigins // always
	hostHasCauses  // since format 5
	hostHasFiles   // since format 6
)

// PutHost writes h. A new host may be committed before the rest of the transaction, an old one
// never is.
func (tx *Tx) PutHost(run Run, h *Host, fresh bool) error {
	var e encoder
	e.uint(uint64(h.Number))
	for _, n := range []uint64{h.Done, h.Failed, h.Skipped, h.Robots} {
		e.uint(n)
	}
	e.int(h.Bytes)
	e.time(h.Due)
	e.time(h.Last)
	plain, secure := &h.Origins[HTTP], &h.Origins[HTTPS]
	e.uint(uint64(plain.Failures))
	e.byte(h.Slow)
	e.int(int64(h.CrawlDelay))
	e.int(int64(h.MinDelay))
	e.bool(false) // read no more: a host paused by hand
	flags := byte(hostHasOrigins)
	if plain.GivenUp {
		flags |= hostGivenUp
	}
	if secure.GivenUp {
		flags |= hostSecureGivenUp
	}
	causes := plain.Cause != "" || secure.Cause != ""
	if causes {
		flags |= hostHasCauses
	}
	if h.Files > 0 {
		flags |= hostHasFiles
	}
	e.byte(flags)
	e.time(plain.Due)
	e.uint(uint64(secure.Failures))
	e.time(secure.Due)
	if causes {
		e.text(plain.Cause[:min(len(plain.Cause), 255)])
		e.text(secure.Cause[:min(len(secure.Cause), 255)])
	}
	if h.Files > 0 {
		e.uint(h.Files)
	}
	e.raw(h.Address.AsSlice())
	key := textKey(tableHost, run, string(h.Name))
	if !fresh {
		tx.hold(key, e.b)
		return nil
	}
	if err := tx.group(1, len(key)+len(e.b)); err != nil {
		return err
	}
	return tx.write(key, e.b)
}

func decodeHost(name, value []byte) (Host, error) {
	d := decoder{b: value}
	h := Host{
		Name: page.Host(name), Number: uint32(d.uint()), Done: d.uint(), Failed: d.uint(), Skipped: d.uint(),
		Robots: d.uint(),
		Bytes:  d.int(), Due: d.time(), Last: d.time(),
	}
	plain := Origin{Failures: uint32(d.uint())}
	h.Slow = d.byte()
	h.CrawlDelay, h.MinDelay = time.Duration(d.int()), time.Duration(d.int())
	_ = d.bool() // a host paused by hand, of earlier versions
	flags := d.byte()
	plain.GivenUp, plain.Due = flags&hostGivenUp != 0, d.time()
	secure := Origin{Failures: uint32(d.uint()), Due: d.time(), GivenUp: flags&hostSecureGivenUp != 0}
	if flags&hostHasCauses != 0 {
		plain.Cause, secure.Cause = d.text(), d.text()
	}
	if flags&hostHasFiles != 0 {
		h.Files = d.uint()
	}
	h.Origins = [Lanes]Origin{plain, secure}
	if rest := d.rest(); len(rest) > 0 {
		a, ok := netip.AddrFromSlice(rest)
		if !ok && d.err == nil {
			d.err = fmt.Errorf("address of %d bytes", len(rest))
		}
		h.Address = a
	}
	return h, d.err
}

// Host finds the record of a host in a run.
func (tx *Tx) Host(run Run, name page.Host) (h Host, found bool, err error) {
	found, err = tx.read(textKey(tableHost, run, string(name)), func(v []byte) (err error) {
		h, err = decodeHost([]byte(name), v)
		return err
	})
	if err != nil {
		err = damaged(fmt.Sprintf("host %s of run %d", name, run), err)
	}
	return h, found, err
}

// Hosts gives every host record of a run, ordered by name.
func (tx *Tx) Hosts(run Run) iter.Seq2[Host, error] {
	return sequence(&tx.batch, runKey(tableHost, run, 0), func(key, value []byte) (Host, error) {
		return decodeHost(key[5:], value)
	})
}

// Hosts is Tx.Hosts in a transaction of its own.
func (s *Store) Hosts(run Run) iter.Seq2[Host, error] {
	return viewed(s, func(tx *Tx) iter.Seq2[Host, error] { return tx.Hosts(run) })
}

// Totals count the URLs of a run by their state and reason. Unknown and NoReason are not counted.
type Totals struct {
	States  [States]int64
	Reasons [Reasons]int64 // skipped and failed ones; under File those done that are no pages
	Bytes   int64          // received
}

// Known is how many URLs were seen.
func (t *Totals) Known() (n int64) {
	for _, m := range t.States {
		n += m
	}
	return n
}

// Add counts n more URLs like u.
func (t *Totals) Add(u *URL, n int64) {
	t.States[u.State] += n
	if u.Reason < Reasons {
		t.Reasons[u.Reason] += n
	}
	switch {
	case u.State != Done:
	case u.File:
		t.Reasons[File] += n
	case u.Redirects():
		t.Reasons[Redirect] += n
	}
}

// Pages is how many of the URLs that were fetched are pages, and Files how many are files; redirects
// are neither.
func (t *Totals) Pages() int64 { return t.States[Done] - t.Reasons[File] - t.Reasons[Redirect] }

// Files is told with Pages.
func (t *Totals) Files() int64 { return t.Reasons[File] }

// Plus adds all numbers of o.
func (t *Totals) Plus(o *Totals) {
	for i, n := range o.States {
		t.States[i] += n
	}
	for i, n := range o.Reasons {
		t.Reasons[i] += n
	}
	t.Bytes += o.Bytes
}

func encodeTotals(t *Totals) []byte {
	var e encoder
	e.int(t.Bytes)
	e.uint(uint64(len(t.States)))
	for _, n := range t.States {
		e.int(n)
	}
	for _, n := range t.Reasons { // as many as follow: a later version may know more
		e.int(n)
	}
	return e.b
}

func decodeTotals(b []byte) (t Totals, err error) {
	d := decoder{b: b}
	t.Bytes = d.int()
	if n := d.uint(); n != uint64(len(t.States)) && d.err == nil {
		return t, fmt.Errorf("%d states", n)
	}
	for i := range t.States {
		t.States[i] = d.int()
	}
	for i := 0; i < len(t.Reasons) && len(d.b) > 0; i++ {
		t.Reasons[i] = d.int()
	}
	return t, d.end()
}

// PutTotals writes the totals of the run.
func (tx *Tx) PutTotals(run Run, t *Totals) { tx.hold(runKey(tableTotals, run, 0), encodeTotals(t)) }

// Totals reads the totals of the run; all are 0 at first.
func (tx *Tx) Totals(run Run) (t Totals, err error) { return tx.totals(runKey(tableTotals, run, 0)) }

// PutSite writes the totals of one of the harvest's sites.
func (tx *Tx) PutSite(run Run, site uint32, t *Totals) { tx.hold(siteKey(run, site), encodeTotals(t)) }

func (tx *Tx) totals(key []byte) (t Totals, err error) {
	_, err = tx.read(key, func(v []byte) (err error) {
		t, err = decodeTotals(v)
		return err
	})
	if err != nil {
		err = damaged("totals", err)
	}
	return t, err
}

// EachSite calls visit with the totals of every site that has any, in the order of their indexes.
func (tx *Tx) EachSite(run Run, visit func(site uint32, t Totals)) error {
	prefix := runKey(tableSite, run, 0)
	return tx.scan(prefix, prefix, true, func(key, value []byte) (bool, error) {
		t, err := decodeTotals(value)
		if err != nil || len(key) != 9 {
			return false, damaged("site totals", errShort)
		}
		visit(binary.BigEndian.Uint32(key[5:]), t)
		return true, nil
	})
}
