package sitemap

import (
	"regexp"
	"slices"
	"strings"

	"watershed/page"
)

// Blocks whose names have nothing in common with that of the site need more links to prove that
// they belong than those that share a telling word with it: docs.flask.example with
// www.flask.example. A word tells something if few hosts that the site knows have it: neither www
// nor the domain of a platform or an organisation does.

const (
	// shortestWord is the fewest letters of a word that tells something.
	shortestWord = 3
	// namedHosts is the most hosts, of those the site knows, that have a telling word in their
	// names.
	namedHosts = 5
)

// namesakes tells of each block that has pages whether a telling word of its host or directory is
// in the name of the prefix.
func (s *settlement) namesakes() []bool {
	b := s.book
	t := &b.web.dirs
	s.shares.shareWords(s)
	hosts := make(map[string]map[dirID]bool) // those that have a word of the prefix, by root
	note := func(list []string, d dirID) {
		for _, word := range list {
			if hosts[word] == nil {
				hosts[word] = make(map[dirID]bool)
			}
			hosts[word][t.nodes[d].root] = true
		}
	}
	for _, d := range b.homes() {
		note(words(t.path(d)), d)
	}
	for k, list := range s.shares.words {
		if x := s.blocks.list[k]; x.known > 0 {
			note(list, x.dir)
		}
	}
	akin := make([]bool, len(s.blocks.list))
	for k, list := range s.shares.words {
		akin[k] = slices.ContainsFunc(list, func(word string) bool {
			return len(hosts[word]) <= namedHosts
		})
	}
	for dir := range b.foreign {
		if k, ok := s.blocks.byDir[dir]; ok {
			akin[k] = false
		}
	}
	akin[prefixBlock] = true
	return akin
}

// shareWords notes of the blocks that came which words of the prefix they have, and whether they are
// hosts of the site's name.
func (h *shares) shareWords(s *settlement) {
	t := &s.book.web.dirs
	own, hosts := make(map[string]bool), s.book.wholeHosts()
	for _, d := range s.book.homes() {
		for _, word := range words(t.path(d)) {
			own[word] = true
		}
	}
	for k := len(h.words); k < len(s.blocks.list); k++ {
		var list []string
		if d := s.blocks.list[k].dir; d != noDir {
			list = slices.DeleteFunc(words(t.path(d)), func(word string) bool { return !own[word] })
		}
		h.words = append(h.words, list)
		d := s.blocks.list[k].dir
		h.users = append(h.users, d != noDir && t.isHome(d) &&
			!slices.ContainsFunc(words("/"+t.name(&t.nodes[d])), func(word string) bool { return own[word] }))
		h.family = append(h.family, slices.ContainsFunc(hosts, func(own page.Host) bool {
			name := ownerName(own)
			return name != "" && (d == noDir || s.book.isRoot(d) && ownerName(t.host(d)) == name)
		}))
	}
}

// wholeHosts are the hosts whose root pages are seeds. Who gives a directory as a seed says nothing of
// its host.
func (b *book) wholeHosts() (hosts []page.Host) {
	for _, p := range b.seeds {
		if u := b.web.text(b.places[p].id); u == u.Root() && !b.characteristic(b.places[p].id) {
			hosts = append(hosts, u.Host())
		}
	}
	return hosts
}

// ownerName is what the owner of a domain has called it, without a year: example of docs.example.org, of
// example.fr and of example2019.org; "" for an address and a name without a dot.
func ownerName(h page.Host) string {
	label, _, _ := strings.Cut(h.Registrable(), ".")
	if _, is := h.Address(); is || label == h.Name() {
		return ""
	}
	return strings.Trim(year.ReplaceAllString(label, ""), "-")
}

var year = regexp.MustCompile(`(19|20)[0-9][0-9]`)

// words of a block's name: what stands between punctuation in host and directory, where it is not
// too short. The top-level domain and "www" are no words of it: where few hosts are known they
// would seem to tell something.
func words(path string) []string {
	host, rest, _ := strings.Cut(strings.TrimPrefix(path, "www."), "/")
	path = host[:max(0, strings.LastIndexByte(host, '.'))] + "/" + rest
	list := strings.FieldsFunc(path, func(r rune) bool { return strings.ContainsRune("./-_~:", r) })
	return slices.DeleteFunc(list, func(word string) bool { return len(word) < shortestWord })
}
