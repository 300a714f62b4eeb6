package harvest

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/dgraph-io/badger/v4"

	"watershed/internal/disk"
	"watershed/store"
)

// errBehind says that the folder has runs, or ends of runs, that the state does not know.
var errBehind = errors.New("the state is older than the runs beside it")

// opener opens a harvest's state.
type opener struct {
	*ground
	rebuilt *Rebuilt // nil where the state was good
}

// openState opens the state. Where it is missing, damaged or older than the runs in the folder, it
// is made anew from these, for the folder is the record, the state is not. A damage that is not nil
// is why it is to be made anew; rebuilt tells of that, also where there is an error. The caller keeps
// other processes from the same (store.Hold).
func openState(g *ground, damage error) (rebuilt *Rebuilt, err error) {
	x := &opener{ground: g}
	err = x.open(damage)
	return x.rebuilt, err
}

func (x *opener) open(damage error) error {
	runs, err := x.folder.Runs()
	if err != nil {
		return err
	}
	for _, r := range runs { // of a process that ended while it took a spool away
		if err := x.disk().RemoveAll(r.spent()); err != nil {
			return fmt.Errorf("take away the spool: %w", err)
		}
	}
	if err := store.CheckPlace(x.folder.State()); err != nil {
		return err
	}
	if damage != nil {
		return x.rebuild(runs, damage)
	}
	err = x.tryState(runs)
	if errors.Is(err, errBehind) || errors.Is(err, store.ErrCorrupt) {
		return x.rebuild(runs, err)
	}
	if err != nil {
		return err
	}
	// a power cut can bring the former state back
	if err := x.disk().RemoveAll(x.folder.rebuilding()); err != nil {
		return fmt.Errorf("take away a state that was being rebuilt: %w", err)
	}
	return nil
}

// tryState opens the state as it is. The error is errBehind or store.ErrCorrupt where it cannot be
// used.
func (x *opener) tryState(runs []Run) error {
	_, err := os.Stat(filepath.Join(x.folder.State(), badger.ManifestFilename))
	if errors.Is(err, os.ErrNotExist) {
		for _, r := range runs {
			if r.captured() {
				return fmt.Errorf("%w: there is none", errBehind)
			}
		}
	}
	if err := x.openStore(); err != nil {
		return err
	}
	if err := x.behind(runs); err != nil {
		err = errors.Join(err, x.store.Close())
		x.store = nil
		return err
	}
	return nil
}

// openStore opens the state in its place. Each of its checkpoints is told beside it from then on, but none
// before the last one that was: a state that is behind is still so at the next start, if this one ends
// before it is rebuilt.
func (x *opener) openStore() (err error) {
	o, told := x.stateOptions(x.folder.State()), x.folder.lastCheckpoint()
	synced := o.Synced
	o.Synced = func(checkpoint uint64) {
		if synced != nil {
			synced(checkpoint)
		}
		if checkpoint > told {
			told = checkpoint
			if err := x.folder.writeCheckpoint(x.disk(), checkpoint); err != nil {
				x.log.Warn("the number of the state's last checkpoint is not told beside it", "cause", err)
			}
		}
	}
	x.store, err = store.Open(o)
	return err
}

func (x *opener) stateOptions(dir string) store.Options {
	o := x.plan.Store
	o.Dir, o.Harvest = dir, x.plan.Name
	return o
}

// behind compares the state with the folder: it must know each run that captured anything, and
// which of them are finished, and have each checkpoint that was told beside it.
func (x *opener) behind(runs []Run) error {
	known := map[int]store.RunState{}
	for r, err := range x.runs() {
		if err != nil {
			return err
		}
		known[int(r.Number)] = r.State
	}
	told, has := x.folder.lastCheckpoint(), x.store.Checkpoints()
	current := told > 0 && told <= has
	for _, r := range runs {
		if !r.captured() {
			continue
		}
		state, ok := known[r.Number()]
		switch {
		case !ok:
			return fmt.Errorf("%w: it does not know %s", errBehind, r.Name())
		case state != store.RunFinished && r.delivered() && !r.spooled() && !current:
			// of a state that is not older, the spool is lost
			return fmt.Errorf("%w: it does not know that %s is finished", errBehind, r.Name())
		}
	}
	if told > has {
		return fmt.Errorf("%w: it lacks the last %d of %d checkpoints", errBehind, told-has, told)
	}
	return nil
}

// checkpoint tells beside the state which of its checkpoints was the last that is on disk.
func (f Folder) checkpoint() string { return filepath.Join(string(f), "checkpoint") }

// checkpointForm is what that file has; one that was torn has less.
const checkpointForm = "%020d\n"

// writeCheckpoint tells a checkpoint that is on disk. It is not synced itself: what a power cut leaves
// of it is a former one, or says nothing.
func (f Folder) writeCheckpoint(fsys disk.FS, n uint64) error {
	path := disk.Temporary(f.checkpoint())
	out, err := fsys.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o666)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(out, checkpointForm, n)
	if err = errors.Join(err, out.Close()); err != nil {
		return err
	}
	return fsys.Rename(path, f.checkpoint())
}

// lastCheckpoint is the one that was told last, 0 where that is not known.
func (f Folder) lastCheckpoint() (n uint64) {
	if info, err := os.Stat(f.checkpoint()); err != nil || !info.Mode().IsRegular() { // a pipe never ends
		return 0
	}
	text, err := os.ReadFile(f.checkpoint())
	if err != nil || len(text) != len(fmt.Sprintf(checkpointForm, 0)) {
		return 0
	}
	if n, err = strconv.ParseUint(strings.TrimSpace(string(text)), 10, 64); err != nil {
		return 0
	}
	return n
}

// rebuilding is where a state is made anew, until it is whole.
func (f Folder) rebuilding() string { return f.State() + ".new" }

// rebuild makes the state anew from the runs in the folder, and keeps the former one under another
// name.
func (x *opener) rebuild(runs []Run, cause error) error {
	x.log.Warn("the state is rebuilt from the archives", "cause", cause)
	x.rebuilt = &Rebuilt{Cause: cause}
	fresh, state := x.folder.rebuilding(), x.folder.State()
	if err := x.disk().RemoveAll(fresh); err != nil { // of an earlier attempt
		return fmt.Errorf("rebuild the state: %w", err)
	}
	if err := x.restore(fresh, runs); err != nil {
		return fmt.Errorf("rebuild the state from the archives: %w", err)
	}
	if _, err := os.Stat(state); err == nil {
		x.rebuilt.Former = state + ".former-" + time.Now().UTC().Format("20060102150405.000000")
		if err := x.disk().Rename(state, x.rebuilt.Former); err != nil {
			return fmt.Errorf("keep the former state: %w", err)
		}
	}
	sync := func() error { return x.disk().SyncDir(string(x.folder)) }
	err := sync()
	for _, step := range []func() error{ // the checkpoint that was told is the former state's
		func() error { return x.disk().RemoveAll(x.folder.checkpoint()) }, sync,
		func() error { return x.disk().Rename(fresh, state) }, sync,
	} {
		if err == nil {
			err = step()
		}
	}
	if err != nil {
		return fmt.Errorf("put the state that was rebuilt in place: %w", err)
	}
	x.log.Warn("the state was rebuilt from the archives", "runs", x.rebuilt.Runs, "captures",
		x.rebuilt.Captures, "damaged", x.rebuilt.Damaged, "away", x.rebuilt.Away, "former", x.rebuilt.Former)
	return x.openStore()
}

// Rebuilt tells of a state that was made anew from the archives.
type Rebuilt struct {
	Cause    error
	Former   string // folder in which the former state is kept; "" where there was none
	Runs     int
	Captures int
	Damaged  int // places in WARC files that could not be read
	Away     int // runs whose index names more than the WARC files here have
}
