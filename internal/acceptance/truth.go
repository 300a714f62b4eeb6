package main

import (
	"bufio"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// truth is a web of which it is known where each page belongs.
type truth struct {
	site  map[string]string   // of a page
	kind  map[string]string   // of a site: multi, ord, tenant, ...
	pages map[string][]string // of a site, entry page first
}

func readTruth(dir string) (*truth, error) {
	t := &truth{site: map[string]string{}, kind: map[string]string{}, pages: map[string][]string{}}
	err := rows(filepath.Join(dir, "sites.tsv"), func(f []string) {
		if len(f) < 3 {
			return
		}
		t.site[f[0]], t.kind[f[1]] = f[1], f[2]
		t.pages[f[1]] = append(t.pages[f[1]], f[0])
	})
	return t, err
}

// sample picks n sites of a kind that have twelve pages or more, the same ones each time.
func (t *truth) sample(kind string, n int) []string {
	var names []string
	for s, k := range t.kind {
		if k == kind && len(t.pages[s]) >= 12 {
			names = append(names, s)
		}
	}
	slices.Sort(names)
	rng := rand.New(rand.NewPCG(5, 5))
	rng.Shuffle(len(names), func(i, j int) { names[i], names[j] = names[j], names[i] })
	return names[:min(n, len(names))]
}

// readLinks gives the links of each page.
func readLinks(dir string) (map[string][]string, error) {
	out := map[string][]string{}
	err := rows(filepath.Join(dir, "links.tsv"), func(f []string) {
		if len(f) >= 2 {
			out[f[0]] = append(out[f[0]], f[1])
		}
	})
	return out, err
}

// rows calls fn with the fields of each line that is no comment.
func rows(path string, fn func([]string)) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		if line := lines.Text(); line != "" && line[0] != '#' {
			fn(strings.Split(line, "\t"))
		}
	}
	return lines.Err()
}
