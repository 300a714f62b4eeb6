package store

import (
	"encoding/binary"
	"fmt"
	"iter"
	"net/http"
	"strings"

	"watershed/page"
)

// URL is all that a run knows of one URL. The zero State means that it was never seen.
type URL struct {
	URL     page.URL
	Spelled page.Spelling // what to ask for
	State   State
	Reason  Reason // of a skipped or failed one, or Unread of one that is done
	// which rule or limit, or of a failed one the last error, at most 255 bytes; "" where the reason
	// says all
	Rule     string
	Site     uint32        // index of the harvest's site that wants it
	Via      page.Key      // the page on which it was found; 0 for a seed
	Hops     string        // discovery path, a letter a hop, the last 255 of them
	Depth    uint8         // links followed that count for the limit of the site
	Kind     page.LinkKind // of the link by which it was found; 0 for a seed
	Forced   bool          // an explicit rule wants it: neither traps nor copies nor depth count
	Priority int64         // the greater the sooner
	Part     bool          // wanted for what others need or list, not as a page
	File     bool          // of one that is done: it is a file
	Tries    uint8         // fetches that brought nothing
	// of one to which redirects led back, while it waits or has been redirected again: what was asked
	// for before, a fingerprint of 8 bytes each
	Asked  string
	Status int    // of the last fetch, as in page.Visit
	Visit  uint64 // sequence number of its last visit in this run; 0 while there is none

	Host  uint32 // number of its host's record; 0 as long as the host has none
	Place Place  // in its host's queue; the zero Place when it is in none
}

// Key is the key of the URL's text.
func (u *URL) Key() page.Key { return u.URL.Key() }

// Vain reports a URL that was asked for and could not be had for a fault of its server or of the
// way there: no answer came, one of 500 and above, or 429 at each try.
func (u *URL) Vain() bool {
	return u.State == Failed || u.State == Done && u.Status >= http.StatusInternalServerError
}

// Redirects reports a URL that was answered with the way to another one.
func (u *URL) Redirects() bool { return page.Redirects(u.Status) }

// Failure says why no page came of a URL, in words: the last error, or what left it out.
func (u *URL) Failure() string {
	switch {
	case u.State == Skipped && u.Rule != "":
		return u.Reason.Says() + ": " + u.Rule
	case u.Reason == HostGivenUp && u.Rule != "":
		return "its host was given up: " + u.Rule
	case u.Rule != "":
		return u.Rule
	case u.Status > 0:
		return strings.TrimSpace(fmt.Sprintf("%d %s", u.Status, http.StatusText(u.Status)))
	}
	return u.Reason.Says()
}

// Place is a position in a host's queue: the highest rank first and within it the lowest order.
type Place struct {
	Rank  uint8  // priority, coarsely, and the lane of the URL
	Order uint64 // from 1, in the order of entering the queue; 0 is no place
}

// Before reports whether p's turn comes before q's.
func (p Place) Before(q Place) bool {
	if p.Rank != q.Rank {
		return p.Rank > q.Rank
	}
	return p.Order < q.Order
}

// Row is a queue row: an index entry that counts only as long as the URL's record is pending at the
// same place.
type Row struct {
	Host uint32
	Place
	Key page.Key
}

const (
	flagForced = 1 << 4 << iota
	flagVia
	flagQueued
	flagSpelled // since format 4
)

// Flags beside the kind of the link, since format 6 or 7.
const (
	kindAsked = 1 << 5 << iota // since format 7
	kindPart
	kindFile
	kindFlags = kindAsked | kindPart | kindFile
)

func encodeURL(u *URL) []byte {
	e := encoder{b: make([]byte, 0, 48+len(u.Hops)+len(u.Rule)+len(u.URL))}
	flags := byte(u.State)
	if u.Forced {
		flags |= flagForced
	}
	if u.Via != 0 {
		flags |= flagVia
	}
	if u.Place.Order != 0 {
		flags |= flagQueued
	}
	if u.Spelled != "" {
		flags |= flagSpelled
	}
	e.byte(flags)
	e.byte(byte(u.Reason))
	kind := byte(u.Kind) &^ kindFlags
	if u.Part {
		kind |= kindPart
	}
	if u.File {
		kind |= kindFile
	}
	if u.Asked != "" {
		kind |= kindAsked
	}
	e.byte(kind)
	e.byte(u.Depth)
	e.byte(u.Tries)
	e.uint(uint64(u.Site))
	e.uint(uint64(u.Host))
	e.int(u.Priority)
	e.int(int64(u.Status))
	e.uint(u.Visit)
	if u.Via != 0 {
		e.fixed(uint64(u.Via))
	}
	if flags&flagQueued != 0 {
		e.byte(u.Place.Rank)
		e.uint(u.Place.Order)
	}
	e.text(u.Hops[max(0, len(u.Hops)-255):])
	e.text(u.Rule[:min(len(u.Rule), 255)])
	if u.Asked != "" {
		e.text(u.Asked)
	}
	e.raw([]byte(u.URL.As(u.Spelled)))
	return e.b
}

func decodeURL(b []byte) (URL, error) {
	d := decoder{b: b}
	flags, reason, kind := d.byte(), d.byte(), d.byte()
	u := URL{
		State: State(flags & 15), Reason: Reason(reason), Kind: page.LinkKind(kind &^ kindFlags),
		Part: kind&kindPart != 0, File: kind&kindFile != 0, Depth: d.byte(), Tries: d.byte(),
		Forced: flags&flagForced != 0, Site: uint32(d.uint()), Host: uint32(d.uint()), Priority: d.int(),
		Status: int(d.int()), Visit: d.uint(),
	}
	if flags&flagVia != 0 {
		u.Via = page.Key(d.fixed())
	}
	if flags&flagQueued != 0 {
		u.Place = Place{Rank: d.byte(), Order: d.uint()}
	}
	u.Hops, u.Rule = d.text(), d.text()
	if kind&kindAsked != 0 {
		u.Asked = d.text()
	}
	if u.URL = page.URL(d.rest()); flags&flagSpelled != 0 {
		u.URL, u.Spelled = page.Spelling(u.URL).URL()
	}
	queued := flags&flagQueued != 0
	if d.err == nil && (u.State == Unknown || u.State >= States || u.URL == "" ||
		queued && u.Place.Order == 0) {
		d.err = fmt.Errorf("state %d, place %d of URL %q", u.State, u.Place.Order, u.URL)
	}
	return u, d.err
}

// URL finds the record of a key in a run.
func (tx *urlTables) URL(run Run, key page.Key) (u URL, found bool, err error) {
	found, err = tx.read(urlKey(tableURL, run, key), func(v []byte) (err error) {
		u, err = decodeURL(v)
		return err
	})
	if err != nil {
		err = damaged(fmt.Sprintf("URL %016x of run %d", uint64(key), run), err)
	}
	return u, found, err
}

// PutURL writes the record of key and keeps the queue in step: a row at u.Place while the URL is
// pending, none at the place of old, the record as it was read in this transaction (nil for none).
// Record and rows are never parted, but they may be committed before the rest of the transaction.
// That old is another URL is an error.
func (tx *urlTables) PutURL(run Run, key page.Key, u, old *URL) error {
	value, err := tx.place(key, u, old)
	if err != nil {
		return err
	}
	if _, held := tx.lateAt[string(urlKey(tableURL, run, key))]; held {
		return tx.SettleURL(run, key, u, old) // it goes with the visit already
	}
	if err := tx.group(3, len(value)+64); err != nil {
		return err
	}
	if old != nil && old.Place.Order != 0 && (old.Place != u.Place || old.Host != u.Host) {
		if err := tx.write(queueKey(run, old.Host, old.Place), nil); err != nil {
			return err
		}
	}
	if u.Place.Order != 0 && (old == nil || old.Place != u.Place || old.Host != u.Host) {
		if err := tx.write(queueKey(run, u.Host, u.Place), rowValue(key)); err != nil {
			return err
		}
	}
	return tx.write(urlKey(tableURL, run, key), value)
}

// SettleURL is PutURL for a URL whose record must not be committed before the visit in the same
// transaction.
func (tx *urlTables) SettleURL(run Run, key page.Key, u, old *URL) error {
	value, err := tx.place(key, u, old)
	if err != nil {
		return err
	}
	if old != nil && old.Place.Order != 0 {
		tx.hold(queueKey(run, old.Host, old.Place), nil)
	}
	if u.Place.Order != 0 {
		tx.hold(queueKey(run, u.Host, u.Place), rowValue(key))
	}
	tx.hold(urlKey(tableURL, run, key), value)
	return nil
}

// place checks a record that is about to be written, takes its place away unless it is pending, and
// encodes it.
func (tx *urlTables) place(key page.Key, u, old *URL) ([]byte, error) {
	if old != nil && old.URL != u.URL {
		return nil, fmt.Errorf("key %016x of %s is taken by %s", uint64(key), u.URL, old.URL)
	}
	if u.State != Pending {
		u.Place = Place{}
	} else if u.Place.Order == 0 || u.Host == 0 {
		return nil, fmt.Errorf("put %s: pending without host and place", u.URL)
	}
	return encodeURL(u), nil
}

func rowValue(key page.Key) []byte { return binary.BigEndian.AppendUint64(nil, uint64(key)) }

// PutCollision remembers a URL that cannot have a record of its own because its key is taken.
func (tx *urlTables) PutCollision(run Run, key page.Key, u URL) {
	u.Place = Place{}
	tx.hold(collisionKey(run, key, u.URL), encodeURL(&u))
}

// Collided reports whether PutCollision was called for this very URL.
func (tx *urlTables) Collided(run Run, key page.Key, text page.URL) (bool, error) {
	return tx.read(collisionKey(run, key, text), func([]byte) error { return nil })
}

// URLs gives every record of a run, those whose keys collided last; otherwise in the order of their
// keys, which is as good as random. Writes of the same transaction may be missing.
func (tx *urlTables) URLs(run Run) iter.Seq2[URL, error] {
	decode := func(_, value []byte) (URL, error) { return decodeURL(value) }
	return func(yield func(URL, error) bool) {
		for _, table := range []byte{tableURL, tableCollision} {
			for u, err := range sequence(&tx.batch, runKey(table, run, 0), decode) {
				if !yield(u, err) || err != nil {
					return
				}
			}
		}
	}
}

// URLs is Tx.URLs in a transaction of its own.
func (s *Store) URLs(run Run) iter.Seq2[URL, error] {
	return viewed(s, func(tx *Tx) iter.Seq2[URL, error] { return tx.URLs(run) })
}

// Queue appends to rows the rows of a host from a place on, in the order of their turns, at most
// limit. The zero Place is the queue's head; a caller that knows its first row says so, because the
// rows before it that were deleted cost as much to pass as living ones.
func (tx *urlTables) Queue(run Run, host uint32, from Place, limit int, rows []Row) ([]Row, error) {
	prefix := binary.BigEndian.AppendUint32(runKey(tableQueue, run, 13), host)
	start := prefix
	if from != (Place{}) {
		start = queueKey(run, host, from)
	}
	count := 0
	err := tx.scan(prefix, start, true, func(key, value []byte) (bool, error) {
		row, err := decodeRow(key, value)
		if err != nil {
			return false, damaged("queue row", err)
		}
		rows = append(rows, row)
		count++
		return count < limit, nil
	})
	return rows, err
}

// EachRow calls visit with every queue row of the run, ordered by host and turn, without its key.
// It reads no values: some million rows a second.
func (tx *urlTables) EachRow(run Run, visit func(host uint32, p Place)) error {
	return tx.scan(runKey(tableQueue, run, 0), runKey(tableQueue, run, 0), false,
		func(key, _ []byte) (bool, error) {
			row, err := decodeRow(key, make([]byte, 8))
			if err != nil {
				return false, damaged("queue row", err)
			}
			visit(row.Host, row.Place)
			return true, nil
		})
}

// HasRow reports whether the row of a pending URL is there.
func (tx *urlTables) HasRow(run Run, u *URL) (bool, error) {
	return tx.read(queueKey(run, u.Host, u.Place), func([]byte) error { return nil })
}

// Rows gives every queue row of the run, ordered by host and turn.
func (tx *urlTables) Rows(run Run) iter.Seq2[Row, error] {
	return sequence(&tx.batch, runKey(tableQueue, run, 0), decodeRow)
}

// DeleteRow takes a row away that no record stands for.
func (tx *urlTables) DeleteRow(run Run, r Row) error {
	if err := tx.group(1, 32); err != nil {
		return err
	}
	return tx.write(queueKey(run, r.Host, r.Place), nil)
}

func decodeRow(key, value []byte) (Row, error) {
	if len(key) != 18 || len(value) != 8 {
		return Row{}, fmt.Errorf("key of %d and value of %d bytes", len(key), len(value))
	}
	return Row{
		Host:  binary.BigEndian.Uint32(key[5:]),
		Place: Place{Rank: ^key[9], Order: binary.BigEndian.Uint64(key[10:])},
		Key:   page.Key(binary.BigEndian.Uint64(value)),
	}, nil
}
