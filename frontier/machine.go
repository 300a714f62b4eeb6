package frontier

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/fnv"
	"io/fs"
	"log/slog"
	"math/rand/v2"
	"net/netip"
	"os"
	"path/filepath"
	"time"

	"watershed/internal/disk"
	"watershed/page"
)

// Machine is the folder by which the frontiers of a machine, each in a process of its own, keep from
// asking a host or an address at the same time, or while it rests from another's request.
//
// Every host and every address belongs to one of 4,096 files of the folder. A frontier that asks one
// of them holds a lock on its file meanwhile, and leaves in the file when it asked last and until when
// the host has to rest. A frontier goes by the rest that another one has left, and by its own delay
// since that one's last request. The system ends the locks of a process that ends. Hosts that share a
// file wait for each other in vain, now and then; none is asked too soon. A lease costs two open files
// and some ten system calls more.
type Machine struct {
	Dir string // "" for none: the process is alone
	// Loopback says that addresses of the machine itself count, too.
	Loopback bool
}

// Turns is what harvests on several machines have in common. Enter, Leave and their arguments are as
// those of the frontier's own, and must not wait for anything.
type Turns interface {
	Enter(key string, gap time.Duration) (wait time.Duration)
	Leave(key string, rest time.Duration, touched bool)
	// Busy says that nothing more can be entered just now.
	Busy() bool
	// Right ends when what is entered from now on is lost, and with it the right to ask.
	Right() context.Context
}

// machineFiles is the number of files in the folder.
const machineFiles = 4096

// machinePoll is after what time a host is looked at again that another process is asking.
const machinePoll = 200 * time.Millisecond

// neighbours is a frontier's part in a Machine. It is not safe for concurrent use.
type neighbours struct {
	Machine
	turns Turns // nil for none
	self  uint64
	held  map[uint32]*holding
	seen  [machineFiles]int64 // when another frontier has asked last, of each file
	log   *slog.Logger
	told  bool
}

// holding is a file that is locked, for some of the hosts and addresses that belong to it.
type holding struct {
	f    *os.File
	keys map[string]bool
	last said // what the file is to say afterwards
}

// said is what a file says of the last request for what belongs to it, in nanoseconds since 1970 by
// the machine's clock, and which frontier that was.
type said struct {
	Self      uint64
	Last, Due int64
}

// busy says that no host can be entered just now.
func (n *neighbours) busy() bool { return n != nil && n.turns != nil && n.turns.Busy() }

// right is that of the cluster; nil where there is none.
func (n *neighbours) right() context.Context {
	if n == nil || n.turns == nil {
		return nil
	}
	return n.turns.Right()
}

// newNeighbours makes no folder as long as nothing is to be shared.
func newNeighbours(m Machine, turns Turns, log *slog.Logger) *neighbours {
	if m.Dir == "" && turns == nil {
		return nil
	}
	return &neighbours{Machine: m, turns: turns, self: rand.Uint64(), held: map[uint32]*holding{}, log: log}
}

// enterHost takes a host that rests for gap after each request. Where it has to be left alone still,
// wait says for how long, and it is not taken.
func (n *neighbours) enterHost(h page.Host, gap time.Duration) (wait time.Duration) {
	if n == nil || !n.countsHost(h) {
		return 0
	}
	return n.enter(string(h), gap)
}

// enterAddress is enterHost for an address.
func (n *neighbours) enterAddress(a netip.Addr, gap time.Duration) (wait time.Duration) {
	if n == nil || !n.countsAddress(a) {
		return 0
	}
	return n.enter(a.String(), gap)
}

// leaveHost gives a host back. If it was asked, touched, it has to rest so long.
func (n *neighbours) leaveHost(h page.Host, rest time.Duration, touched bool) {
	if n != nil && n.countsHost(h) {
		n.leave(string(h), rest, touched)
	}
}

// leaveAddress is leaveHost for an address.
func (n *neighbours) leaveAddress(a netip.Addr, rest time.Duration, touched bool) {
	if n != nil && n.countsAddress(a) {
		n.leave(a.String(), rest, touched)
	}
}

func (n *neighbours) countsHost(h page.Host) bool {
	if a, ok := h.Address(); ok {
		return n.countsAddress(a)
	}
	return n.Loopback || h.Name() != "localhost"
}

func (n *neighbours) countsAddress(a netip.Addr) bool {
	return a.IsValid() && (n.Loopback || !a.Unmap().IsLoopback())
}

func slotOf(key string) uint32 {
	sum := fnv.New32a()
	_, _ = sum.Write([]byte(key)) // never fails
	return sum.Sum32() % machineFiles
}

// enter takes a key in the cluster first, and then on the machine.
func (n *neighbours) enter(key string, gap time.Duration) (wait time.Duration) {
	if n.turns != nil {
		if wait := n.turns.Enter(key, gap); wait > 0 {
			return wait
		}
	}
	if n.Dir != "" {
		if wait = n.enterFile(key, gap); wait > 0 && n.turns != nil {
			n.turns.Leave(key, 0, false)
		}
	}
	return wait
}

func (n *neighbours) enterFile(key string, gap time.Duration) (wait time.Duration) {
	slot := slotOf(key)
	if h := n.held[slot]; h != nil {
		now := time.Now().UnixNano()
		n.seen[slot] = min(n.seen[slot], now) // the clock may have been set back
		if wait = time.Duration(n.seen[slot] + int64(gap) - now); wait <= 0 {
			h.keys[key] = true
		}
		return max(wait, 0)
	}
	f, err := n.open(slot)
	if err != nil {
		n.fault(err)
		return 0
	}
	if err := disk.Lock(f, disk.TryAlone); errors.Is(err, disk.ErrLocked) {
		wait = machinePoll
	} else if n.fault(err); err == nil {
		wait = n.take(slot, f, key, gap)
	}
	if n.held[slot] == nil {
		n.fault(f.Close())
	}
	return wait
}

// open opens a file, or makes one that whoever may enter the folder may open.
func (n *neighbours) open(slot uint32) (*os.File, error) {
	path := filepath.Join(n.Dir, fmt.Sprintf("%03x", slot))
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if !errors.Is(err, fs.ErrNotExist) {
		return f, err
	}
	if err := os.MkdirAll(n.Dir, 0o700); err != nil {
		return nil, err
	}
	if f, err = os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o666); err == nil {
		_ = f.Chmod(0o666) // of another's file, made just now, that one sees to it
	}
	return f, err
}

// take holds a file that is locked, unless the last request of another frontier has what belongs to
// it rest still. Should the process be killed, the file says that a request was sent now.
func (n *neighbours) take(slot uint32, f *os.File, key string, gap time.Duration) (wait time.Duration) {
	now := time.Now().UnixNano()
	s := n.read(f, now)
	due := int64(0)
	if s.Self != n.self {
		n.seen[slot], due = max(n.seen[slot], s.Last), s.Due
	}
	n.seen[slot] = min(n.seen[slot], now) // as above
	if wait := max(due, n.seen[slot]+int64(gap)) - now; wait > 0 {
		return time.Duration(wait)
	}
	n.held[slot] = &holding{f: f, keys: map[string]bool{key: true}, last: s}
	n.write(f, said{Self: n.self, Last: now, Due: max(s.Due, now+int64(gap))})
	return 0
}

func (n *neighbours) leave(key string, rest time.Duration, touched bool) {
	if n.turns != nil {
		n.turns.Leave(key, rest, touched)
	}
	slot := slotOf(key)
	h := n.held[slot]
	if h == nil || !h.keys[key] {
		return // it could not be locked
	}
	if touched {
		now := time.Now().UnixNano()
		h.last = said{Self: n.self, Last: now, Due: max(h.last.Due, now+int64(rest))}
	}
	if delete(h.keys, key); len(h.keys) == 0 {
		delete(n.held, slot)
		n.write(h.f, h.last)
		n.fault(h.f.Close())
	}
}

// read gives what the file says; nothing where it is new, or where the clock was wrong when it was
// written.
func (n *neighbours) read(f *os.File, now int64) (s said) {
	var text [24]byte
	if _, err := f.ReadAt(text[:], 0); err != nil {
		return said{}
	}
	_, _ = binary.Decode(text[:], binary.LittleEndian, &s) // of fixed size
	if s.Last > now || s.Due > now+int64(day) {
		return said{}
	}
	return s
}

func (n *neighbours) write(f *os.File, s said) {
	text, _ := binary.Append(nil, binary.LittleEndian, s) // of fixed size
	_, err := f.WriteAt(text, 0)
	n.fault(err)
}

// fault tells of the first error. The harvest goes on as if it were alone.
func (n *neighbours) fault(err error) {
	if err != nil && !n.told {
		n.told = true
		n.log.Warn("other harvests of this machine may ask the same hosts at the same time", "err", err)
	}
}
