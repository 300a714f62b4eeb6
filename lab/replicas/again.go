package replicas

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"watershed/replica/catalog"
	"watershed/replica/cluster"
)

// unfinishedName is a file that an analysis has in its folder from its beginning to its end. Where
// it is there at the beginning, the one before was cut short.
const unfinishedName = "unfinished.json"

// cutShort says which sweep an analysis adds, and from what.
type cutShort struct {
	Sweep uint32         `json:"sweep"`
	From  string         `json:"from"`
	Stats *cluster.Stats `json:"stats,omitempty"` // of the sweep, once it is added
}

// readCutShort reads the file; false where there is none, or one that was itself cut short, so that
// nothing else was written after it.
func readCutShort(dir string) (u cutShort, there bool, err error) {
	text, err := os.ReadFile(filepath.Join(dir, unfinishedName))
	if errors.Is(err, fs.ErrNotExist) {
		return u, false, nil
	}
	if err != nil {
		return u, false, err
	}
	if json.Unmarshal(text, &u) != nil || u.Sweep == 0 {
		return cutShort{}, false, nil
	}
	return u, true, nil
}

// begin says what the analysis is about to add. read is false where the analysis before was cut
// short after it had added just that, so that only the search is left to be done.
func (c *Analyze) begin(x *catalog.Catalog, from string) (now cutShort, read bool, err error) {
	old, there, err := readCutShort(c.Out)
	if err != nil {
		return now, false, err
	}
	last := uint32(0)
	if sweeps := x.Sweeps(); len(sweeps) > 0 {
		last = sweeps[len(sweeps)-1].Number
	}
	switch {
	case there && old.From != from:
		return now, false,
			fmt.Errorf("the analysis of %s in %s was cut short: do it again first, or take the folder away",
				old.From, c.Out)
	case there && old.Sweep == last:
		return old, false, nil
	case last > 0 && !c.Add && !there:
		return now, false, fmt.Errorf("%s holds an analysis; --add adds a sweep to it", c.Out)
	}
	now = cutShort{Sweep: last + 1, From: from}
	return now, true, c.note(now)
}

// note writes the file.
func (c *Analyze) note(u cutShort) error {
	text, err := json.Marshal(u)
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(c.Out, unfinishedName), append(text, '\n'), 0o666)
}

// end says that the analysis has come to its end.
func (c *Analyze) end() error { return os.Remove(filepath.Join(c.Out, unfinishedName)) }
