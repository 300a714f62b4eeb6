package store

import (
	"errors"
	"fmt"

	"github.com/dgraph-io/badger/v4"
)

// Tx is a transaction, valid until the function that it was handed to returns, and for one
// goroutine. Inside Update it reads what it wrote.
//
// A page may have 100,000 links, which is more than one Badger transaction holds. Writes are
// therefore of two kinds. Bulk writes (PutURL with its queue rows, the links of a visit beyond the
// first part, new hosts) go to the disk early when they are too many. All others (SettleURL, the
// visit itself, hosts, totals, digests, captures) are held back and committed together, last. If
// the process dies in between, the early writes stay: some URLs are then known or pending although
// the page that led to them is not visited. The page will be fetched again and finds them there, so
// nothing is lost or fetched twice. The totals are then wrong; Interrupted tells so. A queue row
// and its record are always written together.
type Tx struct {
	urlTables
	seq uint64 // of the last visit put
}

// urlTables are the tables U, X and Q of a transaction: what is known of each URL, and the queues.
type urlTables struct{ batch }

// batch is what a transaction has read and written, whatever the table.
type batch struct {
	s   *Store
	txn *badger.Txn

	update      bool
	count, size int64 // of the writes that txn holds, as Badger counts
	split       bool  // some were committed early
	late        []lateWrite
	lateAt      map[string]int // index in late by key
	lateSize    int64

	before []func() error
	after  []func(committed bool)
	done   bool

	bytes int64
}

type lateWrite struct{ key, value []byte } // value nil: delete

// perWrite is what Badger adds to the bytes of a key and its value.
const perWrite = 16

func (s *Store) begin() *Tx {
	tx := newTx(s, true)
	tx.seq = s.seq
	return tx
}

func newTx(s *Store, update bool) *Tx {
	return &Tx{urlTables: urlTables{batch{s: s, txn: s.db.NewTransaction(update), update: update}}}
}

// Before asks for f to run when the transaction is about to commit; f may write. An error of f
// undoes the transaction.
func (tx *batch) Before(f func() error) { tx.before = append(tx.before, f) }

// After asks for f to run when the transaction has ended, told whether it was committed, in the
// order of the calls and before any other transaction can write.
func (tx *batch) After(f func(committed bool)) { tx.after = append(tx.after, f) }

// Split reports that bulk writes were committed early.
func (tx *batch) Split() bool { return tx.split }

func (tx *Tx) commit() error {
	for i := 0; i < len(tx.before); i++ {
		if err := tx.before[i](); err != nil {
			return err
		}
	}
	if tx.split {
		tx.hold(metaKey(metaSplit), nil)
	}
	if !tx.fits(int64(len(tx.late)), tx.lateSize) {
		if err := tx.flush(); err != nil {
			return err
		}
	}
	for _, w := range tx.late {
		if err := tx.write(w.key, w.value); err != nil {
			return err
		}
	}
	if err := tx.s.commit(tx.txn); err != nil {
		return fmt.Errorf("commit: %w", writeError(err))
	}
	tx.s.written += tx.bytes
	tx.s.seq = tx.seq
	tx.done = true
	return nil
}

func (tx *batch) end() {
	tx.txn.Discard()
	for _, f := range tx.after {
		f(tx.done)
	}
}

// fits reports whether so many more writes, the mark of a split, and the entry by which Badger ends
// a transaction go into the Badger transaction at hand.
func (tx *batch) fits(writes, size int64) bool {
	db := tx.s.db
	writes += 2
	return tx.count+writes < db.MaxBatchCount() && tx.size+size+writes*perWrite < db.MaxBatchSize()
}

// group makes room for writes that must not be parted from each other, committing what came before
// if need be.
func (tx *batch) group(writes int64, size int) error {
	if tx.fits(writes, int64(size)) {
		return nil
	}
	return tx.flush()
}

// flush commits the bulk writes so far and goes on in a new Badger transaction.
func (tx *batch) flush() error {
	if !tx.split {
		if err := tx.write(metaKey(metaSplit), []byte{1}); err != nil {
			return err
		}
	}
	if err := tx.s.commit(tx.txn); err != nil {
		return fmt.Errorf("commit early: %w", writeError(err))
	}
	tx.split = true
	tx.txn = tx.s.db.NewTransaction(true)
	tx.count, tx.size = 0, 0
	return nil
}

// write puts or, with a nil value, deletes. Both slices belong to the transaction afterwards.
func (tx *batch) write(key, value []byte) error {
	size := int64(len(key) + len(value))
	tx.count++
	tx.size += size + perWrite
	tx.bytes += size + perWrite
	var err error
	if value == nil {
		err = tx.txn.Delete(key)
	} else {
		err = tx.txn.Set(key, value)
	}
	if err != nil {
		return fmt.Errorf("write: %w", err)
	}
	return nil
}

// hold keeps a write for the end.
func (tx *batch) hold(key, value []byte) {
	if !tx.update {
		panic("store: write in a transaction of View")
	}
	if i, ok := tx.lateAt[string(key)]; ok {
		tx.lateSize += int64(len(value) - len(tx.late[i].value))
		tx.late[i].value = value
		return
	}
	if tx.lateAt == nil {
		tx.lateAt = make(map[string]int, 16)
	}
	tx.lateAt[string(key)] = len(tx.late)
	tx.late = append(tx.late, lateWrite{key, value})
	tx.lateSize += int64(len(key) + len(value))
}

// read calls visit with the value of a key, which is valid during the call only; found is false
// when there is none.
func (tx *batch) read(key []byte, visit func(value []byte) error) (found bool, err error) {
	if i, ok := tx.lateAt[string(key)]; ok {
		if tx.late[i].value == nil {
			return false, nil
		}
		return true, visit(tx.late[i].value)
	}
	item, err := tx.txn.Get(key)
	if errors.Is(err, badger.ErrKeyNotFound) {
		return false, nil
	}
	if err == nil {
		err = item.Value(visit)
	}
	if err != nil {
		return false, fmt.Errorf("read: %w", err)
	}
	return true, nil
}

// scan calls visit with every key from start on that has the prefix, in order, until visit returns
// false or an error. Key and value are valid during the call only. Writes held for the end are not
// seen.
func (tx *batch) scan(prefix, start []byte, values bool, visit func(key, value []byte) (bool, error)) error {
	o := badger.DefaultIteratorOptions
	o.Prefix = prefix
	// they lie beside their keys: to have them fetched ahead costs more than to read them
	o.PrefetchValues = false
	it := tx.txn.NewIterator(o)
	defer it.Close()
	for it.Seek(start); it.Valid(); it.Next() {
		item := it.Item()
		more := false
		call := func(value []byte) (err error) {
			more, err = visit(item.Key(), value)
			return err
		}
		var err error
		if values {
			err = item.Value(call)
		} else {
			err = call(nil)
		}
		if err != nil || !more {
			return err
		}
	}
	return nil
}
