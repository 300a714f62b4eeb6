package copies

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/zeebo/xxh3"

	"watershed/page"
	"watershed/replica"
	"watershed/replica/sketch"
	"watershed/store"
)

// stands tell which page may stand for which, by the table and the list of single pages.
type stands struct {
	Table   *replica.Table
	Singles map[page.URL]Single // pages left out one by one
	// pages of other copies, for such as their original lacks or has otherwise: see pair
	siblings map[page.URL]page.URL
	paired   map[page.URL][]page.URL // those of which no run before has the original's page, by that
	exact    map[[2]uint64]float64   // resemblances of texts, by their sketches: see read
	kin      map[string][]kin        // texts that stand for others, by directory: see template
	opt      Options
	owners   owners
}

// InForce gives the entries by which URLs may be left out.
func (s *stands) InForce() []replica.Entry { return s.Table.InForce(s.opt.Table.Skip) }

// Demotes reports an entry by which a seed would be left out for what a host without one has. Only a
// person makes such an entry.
func (s *stands) Demotes(e *replica.Entry) bool {
	return len(s.owners.on[replica.HostOf(e.To)]) == 0 &&
		slices.ContainsFunc(s.owners.on[replica.HostOf(e.From)], func(i int) bool {
			return slices.ContainsFunc(s.owners.sites[i].Seeds, e.Covers)
		})
}

// rule is by what a URL may be left out.
type rule struct {
	stand  page.URL
	twin   page.URL // the stand, or by an entry the page of the original, for which another one stands
	name   string   // the entry's From; "" for a single page
	reason store.Reason
	level  float64
	words  string // for people
	names  []string
	exact  map[[2]uint64]float64 // see stands
	kin    map[string][]kin
}

// entry reports the entry page of a copy, a host or a directory, which is compared besides the sample.
func (x *rule) entry(u page.URL) bool {
	dir := u.Directory()
	return isIndex(u) && (dir == string(u.Root()) || dir == x.name)
}

// singlesOf is the name by which the single pages of a host are sampled, which no entry has.
func singlesOf(h page.Host) string { return " " + string(h) }

// of finds the rule for a URL, and the page that stands for it; ok is false where there is none, or
// where following the rules from one page to the next leads back to the URL: table and list of
// single pages are made one after the other, and may disagree on which of two pages stands for the
// other one. The caller holds mu.
func (s *stands) of(u page.URL) (rule, bool) {
	x, ok := s.step(u)
	for next, n := x, 0; ok; n++ {
		if next.stand == u || n == maxSteps {
			return rule{}, false
		}
		var more bool
		if next, more = s.step(next.stand); !more {
			return x, true
		}
	}
	return rule{}, false
}

// maxSteps is how far rules are followed; farther they are taken to lead round.
const maxSteps = 16

// step is the rule for a URL, whatever the others say. A page that is had with a login stands for
// none that is had without, or with another one.
func (s *stands) step(u page.URL) (x rule, ok bool) {
	x, ok = s.named(u)
	x.exact, x.kin = s.exact, s.kin
	return x, ok && s.opt.Login(u) == s.opt.Login(x.stand)
}

// named is the rule that table and list have for a URL.
func (s *stands) named(u page.URL) (x rule, ok bool) {
	if u.PathQuery() == "/robots.txt" { // it is asked of each host
		return x, false
	}
	if one, single := s.Singles[u]; single {
		_, denied := s.Table.Denial(&replica.Entry{From: string(u), To: string(one.Stand)})
		return rule{
			stand: one.Stand, twin: one.Stand, reason: store.Copy, level: s.opt.Single,
			words: "another page has its text", names: []string{singlesOf(u.Host())},
		}, one.Stand != u && s.owners.may(one.Stand) && !denied
	}
	stand, e, out := s.Table.Resolve(u)
	if !out || stand == u || !slices.Contains(s.opt.Table.Skip, e.Level) {
		return x, false
	}
	x = rule{
		stand: stand, twin: stand, name: e.From, reason: store.Mirror, level: s.opt.Level,
		words: e.From + " = " + e.To, names: s.Table.Agreeing(u),
	}
	if e.Level == 0 && !replica.IsHost(e.From) {
		x.reason = store.Collection
	}
	if one, single := s.Singles[stand]; single {
		x.stand = one.Stand
	}
	if other, ok := s.siblings[u]; ok {
		x.stand, x.twin = other, other
	}
	return x, x.stand != u && s.owners.may(x.stand)
}

// byContent is the first rule.
func (x *rule) byContent(mine, before, now *page.Visit) (evidence string, stands bool) {
	evidence = "what it held waits for its stand"
	for _, stand := range []*page.Visit{before, now} {
		if stand == nil {
			continue
		}
		alike, like := x.alike(mine, stand)
		switch {
		case !alike:
			return "", false
		case like < 0:
			evidence = "rule 1, the same payload"
		case sameWords(mine, stand):
			evidence = "rule 1, the same words"
		default: // an estimate of 1 does not tell that a number differs
			evidence = fmt.Sprintf("rule 1, not the same words, resemblance %.3f", min(like, mostUnlike))
		}
	}
	return evidence + ", as captured at " + mine.Time.UTC().Format(time.RFC3339), true
}

// mostUnlike is the greatest resemblance that is told of texts whose words are not the same.
const mostUnlike = .999

// leadsOn reports that what stands for a single page has come to lead to something on its host of
// which nothing tells where the like of it would be for the page.
func (x *rule) leadsOn(u page.URL, before, now *page.Visit) bool {
	if x.name != "" || before == nil || now == nil {
		return false
	}
	old, e := map[page.URL]bool{}, replica.Between(x.name, u, x.twin)
	for i := range before.Links {
		old[before.Links[i].URL] = true
	}
	for i := range now.Links {
		l := &now.Links[i]
		if (l.Kind == page.Embed || l.Kind.Joins()) && !old[l.URL] && l.URL.Host() == now.URL.Host() {
			if _, told := e.Twin(l.URL); !told {
				return true
			}
		}
	}
	return false
}

// doubt is how many standard errors above what is asked an estimate must be: of a thousand texts that
// are less alike than that one seems to be alike.
const doubt = 3

// alike reports that what a page held may be kept by what its stand holds; r is their resemblance,
// -1 for equal payloads.
func (x *rule) alike(mine, stand *page.Visit) (alike bool, r float64) {
	like, equal := Likeness(mine, stand)
	least := like.Value - doubt*like.Error
	if exact, read := x.exact[textsOf(mine, stand)]; read {
		like.Value, least = exact, exact
	}
	switch r = like.Value; {
	case equal:
		return true, -1
	case x.name == "" && mine.MIME != stand.MIME, !mine.Inlay.Within(stand.Inlay):
		return false, r
	case x.level >= 1:
		return sameWords(mine, stand), 1
	case r <= 0 || least < x.level:
		return false, r
	}
	t := x.template(mine, stand)
	return t < x.level || 1-least <= (1-t)/2 || sameWords(mine, stand), r
}

// kin is a text beside others.
type kin struct {
	url  page.URL
	text sketch.Sketch
}

// maxKin bounds with how many pages beside its stand a page is compared, and maxPlaces in how many
// directories, some 7 KB each. The pages of a directory have a template if as many as fewKin of them are
// as like a page as its stand has to be.
const (
	maxKin    = 6
	fewKin    = 3
	maxPlaces = 10_000
)

// template is how like a page of a copy is to pages beside its stand, as far as these were seen: such
// likeness is that of any two pages of the directory, laws or cards between the same long menus. The rest
// of a page tells whether its stand has it, so half of that must be the same.
func (x *rule) template(mine, stand *page.Visit) float64 {
	var own, text sketch.Sketch
	if x.name == "" || x.kin == nil || mine.URL == stand.URL || !textOf(mine, &own) {
		return 0
	}
	dir, known := directory(stand.URL), false
	var likes []float64
	for _, k := range x.kin[dir] {
		if k.url == stand.URL {
			known = true
			continue
		}
		r, _ := sketch.Resemblance(&own, &k.text)
		likes = append(likes, r.Value)
	}
	room := len(x.kin[dir]) < maxKin && (len(x.kin) < maxPlaces || x.kin[dir] != nil)
	if !known && room && textOf(stand, &text) {
		x.kin[dir] = append(x.kin[dir], kin{stand.URL, text})
	}
	if len(likes) < fewKin {
		return 0
	}
	slices.Sort(likes)
	return likes[len(likes)-fewKin]
}

// textsOf names two texts by their sketches.
func textsOf(a, b *page.Visit) [2]uint64 { return [2]uint64{xxh3.Hash(a.Sketch), xxh3.Hash(b.Sketch)} }

// read compares two captures by their texts, where the sketches leave in doubt whether they are as
// alike as is asked, or have a template. Texts that cannot be read stay in doubt.
func (s *stands) read(x *rule, mine, stand *page.Visit) {
	like, equal := Likeness(mine, stand)
	texts := textsOf(mine, stand)
	if _, read := s.exact[texts]; read || equal || s.opt.Whole == nil || like.Error == 0 || x.level >= 1 ||
		sameWords(mine, stand) {
		return
	}
	if math.Abs(like.Value-x.level) > doubt*like.Error &&
		(like.Value < x.level || x.template(mine, stand) < x.level) {
		return
	}
	a, err := s.opt.Whole(mine)
	b, err2 := s.opt.Whole(stand)
	r, err3 := sketch.Resemblance(&a, &b)
	if errors.Join(err, err2, err3) == nil && r.Exact && r.Sufficient() {
		s.exact[texts] = r.Value
	}
}
