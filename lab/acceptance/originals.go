package acceptance

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"watershed/harvest"
	"watershed/lab/testweb"
	"watershed/replica"
)

// originals tells of how many pairs of an original and its copy that the table of a harvest has, in force
// or proposed, it holds the original for the copy: mirrored hosts, and collections with the reference
// copy for the original. A pair counts where an entry is of both places, of what lies in them, or of
// what lies around them.
func originals(out io.Writer, web, folder string) error {
	table, err := harvest.ReadTable(filepath.Join(folder, "replicas.yaml"))
	if err != nil {
		return fmt.Errorf("the table of copies: %w", err)
	}
	pairs, err := truePairs(web)
	if err != nil {
		return err
	}
	within := func(name, place string) bool {
		root := string(replica.RootOf(name))
		return strings.HasPrefix(root, place) || strings.HasPrefix(place, root)
	}
	kept, turned := 0, 0
	for _, p := range pairs {
		right, wrong := false, false
		for _, e := range table.All() {
			if !e.State.InForce() && e.State != replica.Proposed {
				continue
			}
			right = right || within(e.To, p[0]) && within(e.From, p[1])
			wrong = wrong || within(e.From, p[0]) && within(e.To, p[1])
		}
		switch {
		case wrong:
			turned++
		case right:
			kept++
		}
	}
	_, err = fmt.Fprintf(out, "\noriginals: kept in %d pairs of the table, held for the copy in %d\n", kept,
		turned)
	return err
}

// truePairs are an original and a copy of it each, as the roots of hosts or as directories.
func truePairs(web string) (pairs [][2]string, err error) {
	truth, reference := os.DirFS(web), map[string]string{}
	err = testweb.Rows(truth, "mirrors.tsv", 3, func(f []string) error {
		if strings.Contains("12345", f[2]) {
			pairs = append(pairs, [2]string{"http://" + f[0] + "/", "http://" + f[1] + "/"})
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	err = testweb.Rows(truth, "collections.tsv", 8, func(f []string) error {
		if strings.HasPrefix(f[7], "reference") {
			reference[f[0]] = f[2]
		} else if of := reference[f[0]]; of != "" {
			pairs = append(pairs, [2]string{of, f[2]})
		}
		return nil
	})
	return pairs, err
}
