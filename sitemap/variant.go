package sitemap

import (
	"strings"

	"github.com/zeebo/xxh3"
)

// Versions and languages of one work lie side by side and seldom link to each other's pages:
// /docs/13/ and /docs/15/, /en/ and /de/. They have the names of their pages in common. So have
// strangers who use the same program; the names of their directories tell them from versions and
// languages.

// likeness is the part of its paths that a variant of a work has in common with the other, of
// whichever has fewer.
const likeness = 0.5

// work has the pages of a ward.
type work struct {
	segments []string        // of its directory
	paths    map[uint64]bool // of its pages below that, hashed
}

func (x *ward) work(b *book) work {
	dir := b.web.dirs.path(x.dir)
	k := work{strings.Split(strings.TrimSuffix(dir, "/"), "/"), make(map[uint64]bool, len(x.pages))}
	for _, p := range x.pages {
		k.paths[xxh3.HashString(schemeless(b.web.text(b.places[p].id))[len(dir):])] = true
	}
	return k
}

// alike reports whether two works are variants of one.
func (k work) alike(l work) bool {
	if !variants(k.segments, l.segments) {
		return false
	}
	common := 0
	for path := range k.paths {
		common += b2i(l.paths[path])
	}
	return float64(common) >= likeness*float64(min(len(k.paths), len(l.paths)))
}

// variants reports whether two paths differ in one segment, which in both is a version or in both a
// language.
func variants(a, b []string) bool {
	if len(a) != len(b) {
		return false
	}
	found := false
	for i := range a {
		if a[i] == b[i] {
			continue
		}
		if found || !(isVersion(a[i]) && isVersion(b[i]) || isLanguage(a[i]) && isLanguage(b[i])) {
			return false
		}
		found = true
	}
	return found
}

// moving are names that stand for whichever version it is now.
var moving = map[string]bool{
	"current": true, "dev": true, "devel": true, "development": true, "head": true, "latest": true,
	"main": true, "master": true,
	"next": true, "nightly": true, "old": true, "oldstable": true, "release": true, "snapshot": true,
	"stable": true, "testing": true,
	"trunk": true, "unstable": true,
}

// isVersion reports a segment that is a version as manuals have it: 13, 2.4, v3.2.x, 5.10-beta,
// stable.
func isVersion(segment string) bool {
	name := strings.ToLower(segment)
	if moving[name] {
		return true
	}
	digits := strings.TrimPrefix(name, "v")
	return digits != "" && '0' <= digits[0] && digits[0] <= '9' &&
		strings.IndexFunc(digits, func(r rune) bool {
			return !strings.ContainsRune("0123456789.-_x", r)
		}) < 0 || versionWithWord(digits)
}

// versionWithWord is a version that ends in a word, as 5.10-beta or 3.0rc1.
func versionWithWord(name string) bool {
	major, rest, ok := strings.Cut(name, ".")
	return ok && allDigits(major) && rest != "" && '0' <= rest[0] && rest[0] <= '9'
}

func allDigits(s string) bool {
	return s != "" && strings.Trim(s, "0123456789") == ""
}

// isLanguage reports a segment that has the form of a language tag (BCP 47): two or three letters,
// then maybe a script or a region.
func isLanguage(segment string) bool {
	name := strings.ToLower(strings.ReplaceAll(segment, "_", "-"))
	for i, part := range strings.Split(name, "-") {
		if strings.Trim(part, "abcdefghijklmnopqrstuvwxyz") != "" || len(part) < 2 || len(part) > 4 ||
			i == 0 && len(part) > 3 || i > 2 {
			return false
		}
	}
	return true
}
