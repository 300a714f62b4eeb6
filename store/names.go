package store

import "encoding/binary"

// mostOfNames is how many bytes of the names of sites a value has: all names of a harvest of very many
// sites are more than Badger takes in one.
const mostOfNames = 64 << 10

// PutSiteNames writes the names of a run's sites, in the order of the numbers by which the state names
// them. The names are many bytes: they may be committed early.
func PutSiteNames(tx *Tx, run Run, names []string) error {
	var e encoder
	e.uint(uint64(len(names)))
	for _, name := range names {
		e.text(name)
	}
	for part := uint32(0); len(e.b) > 0; part++ {
		n := min(len(e.b), mostOfNames)
		key := binary.BigEndian.AppendUint32(runKey(tableNames, run, 4), part)
		if err := tx.group(1, len(key)+n); err != nil {
			return err
		}
		if err := tx.write(key, e.b[:n:n]); err != nil {
			return err
		}
		e.b = e.b[n:]
	}
	return nil
}

// SiteNames gives what PutSiteNames wrote, nil where no names were written.
func SiteNames(tx *Tx, run Run) ([]string, error) {
	var d decoder
	prefix := runKey(tableNames, run, 0)
	if err := tx.scan(prefix, prefix, true, func(_, value []byte) (bool, error) {
		d.b = append(d.b, value...)
		return true, nil
	}); err != nil || len(d.b) == 0 {
		return nil, err
	}
	count := d.uint()
	names := make([]string, 0, min(count, uint64(len(d.b))))
	for ; count > 0 && d.err == nil; count-- {
		names = append(names, d.text())
	}
	if d.err != nil { // parts behind the last name are of a longer list before
		return nil, damaged("the names of sites", d.err)
	}
	return names, nil
}
