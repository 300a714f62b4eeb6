package delimit

import (
	"watershed/page"
	"watershed/sitemap"
)

// Site is one logical website of an archive. It belongs to whom it is given to.
type Site struct {
	Number int    // from 1, the largest first
	Name   string // host and path of its first entry page
	Title  string // of that page, "" where none is known
	Seeds  []page.URL
	Hosts  []page.Host // of its pages, in order

	Pages  int // captured ones that are its own
	Roots  int // how many parts of hosts it was put together from
	Claims int // pages of other sites that its boundary takes in
	Rest   bool

	Map     *sitemap.Map // nil for a rest
	Missing []Missing    // by URL
}

// Claim is a page of one site that the boundary of another takes in.
type Claim struct {
	URL       page.URL
	Site, And int // numbers: of the site that has it, of the one that takes it in too
}

// Result tells how the pages of an archive are divided.
type Result struct {
	Sites  int // with the rests
	Rests  int
	Pages  int
	Claims []Claim // by URL

	// Site is the number of the site of each page, by the order of Each.
	site []int32
	f    *finder
}

// Each calls yield with every page and the number of its site, by host and path.
func (r *Result) Each(yield func(u page.URL, site int) error) error {
	for i, id := range r.f.order {
		if err := yield(r.f.w.text[id], int(r.site[i])); err != nil {
			return err
		}
	}
	return nil
}
