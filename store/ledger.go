package store

import (
	"encoding/binary"
	"fmt"
	"iter"
	"time"

	"watershed/page"
)

// Entry is a line of the ledger of what was left out: the evidence for one skipped URL, where its
// record's reason and rule do not say all.
type Entry struct {
	Key            page.Key
	Reason         Reason
	Representative page.URL // what stands for the URL; "" for nothing
	Evidence       string
	Time           time.Time
}

// Prune keeps the URLs of a host or below a prefix from being fetched because others stand for
// them.
type Prune struct {
	From     string // a host ("mirror.example") or a URL that ends with "/" ("http://a.example/copy/")
	To       string // what stands for it, of the same kind
	Reason   Reason // Mirror or Collection
	Method   string // how it was found
	Evidence string
	Time     time.Time
}

// Host is From, when that is a host.
func (p *Prune) Host() (page.Host, bool) {
	u := page.URL(p.From)
	return page.Host(p.From), u.Scheme() == ""
}

// Representative is the URL that stands for u, which From covers.
func (p *Prune) Representative(u page.URL) page.URL {
	if _, ok := p.Host(); ok {
		return page.URL(u.Scheme() + "://" + p.To + u.PathQuery())
	}
	return page.URL(p.To) + u[min(len(p.From), len(u)):]
}

// PutEntry writes a line of the ledger, one a URL and run.
func (tx *Tx) PutEntry(run Run, x Entry) error {
	if len(x.Evidence) > maxEvidence {
		return &sizeError{"evidence", len(x.Evidence), maxEvidence}
	}
	var e encoder
	e.byte(byte(x.Reason))
	e.text(string(x.Representative))
	e.time(x.Time)
	e.text(x.Evidence)
	key := urlKey(tableLedger, run, x.Key)
	if err := tx.group(1, len(key)+len(e.b)); err != nil {
		return err
	}
	return tx.write(key, e.b)
}

const maxEvidence = 64 << 10

// DeleteEntry takes a line away, for a URL that is wanted again.
func (tx *Tx) DeleteEntry(run Run, key page.Key) error {
	if err := tx.group(1, 16); err != nil {
		return err
	}
	return tx.write(urlKey(tableLedger, run, key), nil)
}

func decodeEntry(key, value []byte) (Entry, error) {
	d := decoder{b: value}
	x := Entry{
		Reason: Reason(d.byte()), Representative: page.URL(d.text()), Time: d.time(),
		Evidence: d.text(),
	}
	if len(key) != 13 {
		d.fail()
	} else {
		x.Key = page.Key(binary.BigEndian.Uint64(key[5:]))
	}
	return x, d.end()
}

// Entry finds the ledger's line of a URL.
func (tx *Tx) Entry(run Run, key page.Key) (x Entry, found bool, err error) {
	k := urlKey(tableLedger, run, key)
	found, err = tx.read(k, func(v []byte) (err error) {
		x, err = decodeEntry(k, v)
		return err
	})
	if err != nil {
		err = damaged(fmt.Sprintf("ledger entry %016x", uint64(key)), err)
	}
	return x, found, err
}

// Entries gives all lines of a run's ledger, in the order of their keys.
func (tx *Tx) Entries(run Run) iter.Seq2[Entry, error] {
	return sequence(tx, runKey(tableLedger, run, 0), nil, decodeEntry)
}

// PutPrune writes a prune rule, in place of one with the same From.
func (tx *Tx) PutPrune(p Prune) error {
	if len(p.From) > maxPruneKey || len(p.Evidence) > maxEvidence {
		return &sizeError{"prune rule", len(p.From) + len(p.Evidence), maxEvidence}
	}
	var e encoder
	e.text(p.To)
	e.byte(byte(p.Reason))
	e.text(p.Method)
	e.time(p.Time)
	e.text(p.Evidence)
	tx.hold(append([]byte{tablePrune}, p.From...), e.b)
	return nil
}

const maxPruneKey = 32 << 10

// DeletePrune takes a prune rule away.
func (tx *Tx) DeletePrune(from string) { tx.hold(append([]byte{tablePrune}, from...), nil) }

// Prunes gives all prune rules, ordered by From.
func (tx *Tx) Prunes() iter.Seq2[Prune, error] {
	return sequence(tx, []byte{tablePrune}, nil, func(key, value []byte) (Prune, error) {
		d := decoder{b: value}
		p := Prune{
			From: string(key[1:]), To: d.text(), Reason: Reason(d.byte()), Method: d.text(),
			Time: d.time(), Evidence: d.text(),
		}
		return p, d.end()
	})
}

// PutRobots keeps what the caller knows of the robots.txt of an origin, for example
// "https://example.org", for all runs. At most 768 KiB fit.
func (tx *Tx) PutRobots(origin string, blob []byte) error {
	if len(blob) > maxRobots {
		return &sizeError{"robots.txt of " + origin, len(blob), maxRobots}
	}
	key := append([]byte{tableRobots}, origin...)
	if err := tx.group(1, len(key)+len(blob)); err != nil {
		return err
	}
	return tx.write(key, append([]byte{}, blob...))
}

// DeleteRobots forgets what is kept of an origin's robots.txt.
func (tx *Tx) DeleteRobots(origin string) { tx.hold(append([]byte{tableRobots}, origin...), nil) }

const maxRobots = 768 << 10

// Robots gives what PutRobots was given.
func (tx *Tx) Robots(origin string) (blob []byte, found bool, err error) {
	found, err = tx.read(append([]byte{tableRobots}, origin...), func(v []byte) error {
		blob = append([]byte{}, v...)
		return nil
	})
	return blob, found, err
}
