package copies

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"

	"watershed/internal/disk"
	"watershed/page"
)

// Single is a page that is left out by itself, because another page has its text.
type Single struct {
	Stand       page.URL
	Resemblance float64
	Runs        int // in which it was found so
}

// singlesHead is the first line of the list.
const singlesHead = "# watershed copies 1"

// ReadSingles reads the list of single pages. A file that is not there is an empty list.
func ReadSingles(path string) (list map[page.URL]Single, err error) {
	list = map[page.URL]Single{}
	file, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return list, nil
	}
	if err != nil {
		return list, fmt.Errorf("read the list of copies: %w", err)
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	lines := bufio.NewScanner(file)
	lines.Buffer(nil, 1<<20)
	for n := 1; lines.Scan(); n++ {
		if err := readSingle(list, n, lines.Text()); err != nil {
			return list, fmt.Errorf("%s: line %d: %w; take the file away: the next run fetches what it left "+
				"out, and writes it anew", path, n, err)
		}
	}
	return list, lines.Err()
}

// readSingle takes one line of the list. Lines of pages to be asked for, which earlier versions wrote,
// are passed over.
func readSingle(list map[page.URL]Single, n int, text string) error {
	if n == 1 && text != singlesHead {
		return fmt.Errorf("it is %q, not %q", text, singlesHead)
	}
	if text == "" || text[0] == '#' {
		return nil
	}
	f := strings.Split(text, "\t")
	if f[0] == "ask" && len(f) == 2 {
		_, err := canonical(f[1])
		return err
	}
	if f[0] != "copy" || len(f) != 5 {
		return fmt.Errorf("%d fields that begin with %q are no copy", len(f), f[0])
	}
	u, err1 := canonical(f[1])
	stand, err2 := canonical(f[2])
	like, err3 := strconv.ParseFloat(f[3], 64)
	runs, err4 := strconv.Atoi(f[4])
	if err := errors.Join(err1, err2, err3, err4); err != nil {
		return err
	}
	list[u] = Single{Stand: stand, Resemblance: like, Runs: runs}
	return nil
}

// canonical reads a URL that is to be canonical.
func canonical(text string) (page.URL, error) {
	u, err := page.ParseURL(text)
	if err == nil && string(u) != text {
		err = fmt.Errorf("%q is not canonical; that would be %q", text, u)
	}
	return u, err
}

// WriteSingles writes the list, in the order of its URLs.
func WriteSingles(d disk.FS, path string, list map[page.URL]Single) error {
	return disk.WriteFile(d, path, 0o644, func(out io.Writer) error {
		w := bufio.NewWriter(out)
		fmt.Fprintf(w, "%s\n# copy\turl\tstands for it\tresemblance\truns\n", singlesHead)
		for _, u := range slices.Sorted(maps.Keys(list)) {
			x := list[u]
			fmt.Fprintf(w, "copy\t%s\t%s\t%.3f\t%d\n", u, x.Stand, x.Resemblance, x.Runs)
		}
		return w.Flush()
	})
}
