package acceptance

import (
	"math/rand/v2"
	"os"
	"slices"

	"watershed/lab/testweb"
)

// truth is a web of which it is known where each page belongs.
type truth struct {
	site  map[string]string   // of a page
	kind  map[string]string   // of a site: multi, ord, tenant, ...
	pages map[string][]string // of a site, entry page first
}

func readTruth(dir string) (*truth, error) {
	t := &truth{site: map[string]string{}, kind: map[string]string{}, pages: map[string][]string{}}
	err := testweb.Rows(os.DirFS(dir), "sites.tsv", 3, func(f []string) error {
		t.site[f[0]], t.kind[f[1]] = f[1], f[2]
		t.pages[f[1]] = append(t.pages[f[1]], f[0])
		return nil
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
	err := testweb.Rows(os.DirFS(dir), "links.tsv", 2, func(f []string) error {
		out[f[0]] = append(out[f[0]], f[1])
		return nil
	})
	return out, err
}
