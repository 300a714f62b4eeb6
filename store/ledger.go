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

// PutEntry writes a line of the ledger, one a URL and run.
func (tx *Tx) PutEntry(run Run, x Entry) error {
	if len(x.Evidence) > maxEvidence {
		return tooLarge("evidence", len(x.Evidence), maxEvidence)
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
	return sequence(&tx.batch, runKey(tableLedger, run, 0), decodeEntry)
}

// PutRobots keeps what the caller knows of the robots.txt of an origin, for example
// "https://example.org", for all runs. At most 768 KiB fit.
func (tx *Tx) PutRobots(origin string, blob []byte) error {
	if len(blob) > maxRobots {
		return tooLarge("robots.txt of "+origin, len(blob), maxRobots)
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
