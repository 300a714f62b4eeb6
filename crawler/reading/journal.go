// Package reading remembers which pages are being read, so that a page whose reading ends the
// process is known to the next one.
//
// To read a page is to take links, text and sketch from a body that was fetched. A journal is a
// file of slots, one for each page that is being read; a slot is written before a page is read, and
// emptied when it was. So the file names the pages that a process was reading when it died: they
// are the suspects of the next process. A suspect is read alone: while it is read no other page is,
// and its slot says so. If it is read to its end it is acquitted. If the process dies meanwhile,
// the death counts against the page: one that the process brought about itself (a fatal error, or
// the system had no memory) decides, one from outside (kill -9, a power cut) is one of
// unprovenDeaths. A page that is condemned is never read again by that journal.
//
// The file is not synced: it outlives the process, which is what it is for. After a power cut it
// may be older, empty or damaged, and a slot that does not agree with its sum is empty.
//
// The file begins with a head of 16 bytes: the letters "WSRD", how often the system had killed a
// process for want of memory when the file was last opened (8 bytes, big endian), and a CRC-32C of
// these 12 bytes. Slots of slotBytes follow, each:
//
//	0  state, a byte: 1 being read, 2 being read alone, 3 suspect, 4 condemned
//	1  deaths while it was read alone, a byte
//	2  length of the URL, 2 bytes, big endian
//	4  CRC-32C of the first four bytes and of the URL, 4 bytes, big endian
//	8  the URL
//
// The slot of http://a.example/ while it is read: 01 00 00 11 and the sum, then the 17 bytes of the
// URL.
package reading

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"os"
	"sync"

	"watershed/page"
)

// unprovenDeaths is how many deaths from outside, each while the page was being read alone, condemn
// a page. A page that is read in milliseconds is not hit so often by chance, and one that has the
// process killed each time is.
const unprovenDeaths = 3

// Cause is said of a page that is not read.
const Cause = "not read: the process died while it was read, and again while it was read alone"

const (
	maxURL    = 16 << 10 // bytes, as of any page.URL
	slotHead  = 8
	slotBytes = slotHead + maxURL
	fileHead  = 16
	maxSlots  = 4096 // that are looked at: more than any crawl has workers
)

var (
	magic   = []byte("WSRD")
	sumKind = crc32.MakeTable(crc32.Castagnoli)
)

// state of a slot. The numbers are stored.
type state uint8

const (
	empty     state = iota
	beingRead       // with others
	alone           // being read, and no other page
	suspect         // to be read alone
	condemned       // not to be read
	states
)

// slot is what the journal knows of one page.
type slot struct {
	state  state
	deaths uint8
	url    page.URL
}

// Journal is an open journal. A nil journal has every page read. It is safe for concurrent use.
type Journal struct {
	file *os.File

	crowd sync.RWMutex // held for reading while pages are read, for writing by one that is read alone

	mu    sync.Mutex // guards what follows
	slots []slot
	known map[page.URL]int // suspects and condemned pages, by slot
	free  []int            // slots
}

// Open opens the journal of a file, made if need be, and draws from it what the process before was
// reading when it died. crashed tells that it is known to have brought its death about itself.
func Open(path string, crashed bool) (*Journal, error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, fmt.Errorf("open the journal of what is read: %w", err)
	}
	j := &Journal{file: f, known: map[page.URL]int{}}
	if err := j.load(crashed); err != nil {
		return nil, errors.Join(fmt.Errorf("read the journal of what is read: %w", err), f.Close())
	}
	return j, nil
}

// load reads the file and judges what stands in it.
func (j *Journal) load(crashed bool) error {
	text, err := io.ReadAll(io.LimitReader(j.file, fileHead+maxSlots*slotBytes))
	if err != nil {
		return err
	}
	kills := outOfMemory()
	proven := crashed || kills > killsBefore(text, kills)
	for at := fileHead; at < len(text); at += slotBytes {
		s := decode(text[at:min(at+slotBytes, len(text))])
		s.judge(proven)
		if err := j.put(len(j.slots), s); err != nil {
			return err
		}
	}
	head := binary.BigEndian.AppendUint64(bytes.Clone(magic), kills)
	_, err = j.file.WriteAt(binary.BigEndian.AppendUint32(head, crc32.Checksum(head, sumKind)), 0)
	return err
}

// judge draws what follows from the death of the process for the page of a slot.
func (s *slot) judge(proven bool) {
	switch s.state {
	case beingRead:
		s.state = suspect
	case alone:
		s.state = suspect
		if s.deaths++; proven || s.deaths >= unprovenDeaths {
			s.state = condemned
		}
	}
}

// killsBefore is what the head of a file says of kills for want of memory; now where it says
// nothing.
func killsBefore(text []byte, now uint64) uint64 {
	if len(text) < fileHead || !bytes.HasPrefix(text, magic) ||
		crc32.Checksum(text[:12], sumKind) != binary.BigEndian.Uint32(text[12:]) {
		return now
	}
	return binary.BigEndian.Uint64(text[4:])
}

// outOfMemory is how often the system has killed a process for want of memory since it was started;
// 0 where it does not tell.
func outOfMemory() (n uint64) {
	text, err := os.ReadFile("/proc/vmstat")
	if err != nil {
		return 0
	}
	for line := range bytes.Lines(text) {
		if _, err := fmt.Sscanf(string(line), "oom_kill %d", &n); err == nil {
			return n
		}
	}
	return 0
}

// decode reads a slot; one that is torn or damaged is empty.
func decode(b []byte) (s slot) {
	if len(b) < slotHead {
		return s
	}
	n := int(binary.BigEndian.Uint16(b[2:]))
	if b[0] == 0 || b[0] >= uint8(states) || n == 0 || n > len(b)-slotHead {
		return s
	}
	u := b[slotHead : slotHead+n]
	if crc32.Update(crc32.Checksum(b[:4], sumKind), sumKind, u) != binary.BigEndian.Uint32(b[4:]) {
		return s
	}
	return slot{state: state(b[0]), deaths: b[1], url: page.URL(u)}
}

func (s *slot) encode() []byte {
	if s.state == empty {
		return []byte{0}
	}
	b := []byte{uint8(s.state), s.deaths}
	b = binary.BigEndian.AppendUint16(b, uint16(len(s.url)))
	sum := crc32.Update(crc32.Checksum(b, sumKind), sumKind, []byte(s.url))
	return append(binary.BigEndian.AppendUint32(b, sum), s.url...)
}

// put writes a slot, in memory too. The caller holds mu, or is Open.
func (j *Journal) put(i int, s slot) error {
	if i == len(j.slots) {
		j.slots = append(j.slots, slot{})
	}
	delete(j.known, j.slots[i].url)
	j.slots[i] = s
	switch s.state {
	case empty:
		j.free = append(j.free, i)
	case suspect, condemned, alone:
		j.known[s.url] = i
	}
	_, err := j.file.WriteAt(s.encode(), fileHead+int64(i)*slotBytes)
	return err
}

// Read has a page read, alone if it is a suspect, and reports whether it was: a condemned page is
// not. It waits while another page is being read alone. An error is one of the journal's file,
// which may miss the page then; it was read nevertheless.
func (j *Journal) Read(u page.URL, read func()) (done bool, err error) {
	if j == nil || len(u) > maxURL {
		read()
		return true, nil
	}
	switch s := j.about(u); s.state {
	case condemned:
		return false, nil
	case suspect:
		j.crowd.Lock()
		defer j.crowd.Unlock()
		return true, j.during(slot{state: alone, deaths: s.deaths, url: u}, read)
	}
	j.crowd.RLock()
	defer j.crowd.RUnlock()
	return true, j.during(slot{state: beingRead, url: u}, read)
}

// about gives what is held against a page.
func (j *Journal) about(u page.URL) slot {
	j.mu.Lock()
	defer j.mu.Unlock()
	if i, ok := j.known[u]; ok {
		return j.slots[i]
	}
	return slot{}
}

// during has a page read while its slot says so.
func (j *Journal) during(s slot, read func()) error {
	i, err := j.enter(s)
	read()
	j.mu.Lock()
	defer j.mu.Unlock()
	if err = errors.Join(err, j.put(i, slot{})); err != nil {
		return fmt.Errorf("note that %s is being read: %w", s.url, err)
	}
	return nil
}

// enter writes the slot of a page, in its place if it has one.
func (j *Journal) enter(s slot) (int, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	i, ok := j.known[s.url]
	if !ok {
		i = len(j.slots)
		if n := len(j.free); n > 0 {
			i, j.free = j.free[n-1], j.free[:n-1]
		}
	}
	return i, j.put(i, s)
}

// Suspects are the pages that are to be read alone.
func (j *Journal) Suspects() []page.URL { return j.all(suspect) }

// Condemned are the pages that are not to be read.
func (j *Journal) Condemned() []page.URL { return j.all(condemned) }

func (j *Journal) all(which state) (list []page.URL) {
	if j == nil {
		return nil
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	for i := range j.slots {
		if j.slots[i].state == which {
			list = append(list, j.slots[i].url)
		}
	}
	return list
}

// Close closes the file. The pages that were being read stand in it.
func (j *Journal) Close() error {
	if j == nil {
		return nil
	}
	return j.file.Close()
}
