package store

import (
	"encoding/binary"

	"watershed/page"
)

// Run numbers the crawls of one harvest from 1: the first harvest is run 1, each recrawl the next
// one. 0 is no run.
type Run uint32

// Tables are told apart by the first byte of a key; doc.go tells what follows. A letter never
// changes its meaning.
const (
	tableMeta      = 'M'
	tableRun       = 'R'
	tableURL       = 'U'
	tableCollision = 'X'
	tableQueue     = 'Q'
	tableHost      = 'H'
	tableTotals    = 'T'
	tableSite      = 'S'
	tableNames     = 'N'
	tableVisit     = 'V'
	tableLedger    = 'K'
	tableDigest    = 'D'
	tableCapture   = 'L'
	tableRobots    = 'B'
)

func runKey(table byte, run Run, room int) []byte {
	k := make([]byte, 5, 5+room)
	k[0] = table
	binary.BigEndian.PutUint32(k[1:], uint32(run))
	return k
}

func urlKey(table byte, run Run, key page.Key) []byte {
	return binary.BigEndian.AppendUint64(runKey(table, run, 8), uint64(key))
}

func textKey(table byte, run Run, text string) []byte {
	return append(runKey(table, run, len(text)), text...)
}

func collisionKey(run Run, key page.Key, u page.URL) []byte {
	return append(urlKey(tableCollision, run, key), u...)
}

func queueKey(run Run, host uint32, p Place) []byte {
	k := binary.BigEndian.AppendUint32(runKey(tableQueue, run, 13), host)
	k = append(k, ^p.Rank)
	return binary.BigEndian.AppendUint64(k, p.Order)
}

func visitKey(run Run, seq uint64, part uint16) []byte {
	k := binary.BigEndian.AppendUint64(runKey(tableVisit, run, 10), seq)
	return binary.BigEndian.AppendUint16(k, part)
}

func siteKey(run Run, site uint32) []byte {
	return binary.BigEndian.AppendUint32(runKey(tableSite, run, 4), site)
}

func metaKey(name string) []byte { return append([]byte{tableMeta}, name...) }

func digestKey(d page.Digest) []byte { return append([]byte{tableDigest}, d[:]...) }

func captureKey(key page.Key) []byte {
	return binary.BigEndian.AppendUint64([]byte{tableCapture}, uint64(key))
}
