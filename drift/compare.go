package drift

import (
	"cmp"
	"fmt"
	"iter"
	"maps"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/zeebo/xxh3"

	"watershed/page"
	"watershed/replica/sketch"
	"watershed/sitemap"
)

const (
	// leastFound is the resemblance from which on a new page is a lost one under another address.
	leastFound = 0.8
	// beside is how much less a new page of the same directory need resemble a lost one.
	beside = 0.15
	// rewritten is the resemblance below which a page was rewritten and not edited.
	rewritten = 0.5
)

// Sweep is one harvest. Visits is gone through more than once and gives the same each time, in the
// order of commitment.
type Sweep struct {
	Number int
	Time   time.Time
	Visits func() iter.Seq2[*page.Visit, error]
	Maps   []*sitemap.Map
	// LeftOut gives the page that stands for a URL that was left out as a replica. It may be nil.
	LeftOut func(page.URL) (page.URL, bool)
}

// Report has the changes between two harvests.
type Report struct {
	Old     int         `json:"old"` // numbers of the harvests
	New     int         `json:"new"`
	OldTime time.Time   `json:"oldTime"`
	NewTime time.Time   `json:"newTime"`
	Sites   []SiteDrift `json:"sites"`
	Rates   []Rate      `json:"rates"`
	Changes []Change    `json:"changes"` // all but the unchanged, by URL
}

// SiteDrift is how one site has changed.
type SiteDrift struct {
	Name   string       `json:"name"`
	Was    string       `json:"was,omitempty"`    // its name in the older harvest, where that was another
	Absent bool         `json:"absent,omitempty"` // the newer harvest has no such site
	Counts map[Kind]int `json:"counts"`
	// Blocks (hosts, or directories of them) that have pages inside now and had none, and the other
	// way round.
	Joined []string `json:"joined,omitempty"`
	Left   []string `json:"left,omitempty"`
	Before int      `json:"before"` // pages that belonged
	After  int      `json:"after"`
}

// Compare reports the changes from an older to a newer harvest of the same sites. Sites are matched
// by name, those that were renamed by a seed. Time is linear in the visits, but for the lost pages,
// each of which is compared with the new pages that share a value of its sketch.
func Compare(older, newer Sweep) (*Report, error) {
	c := &comparison{
		older: older, newer: newer, members: membersOf(older.Maps), joined: membersOf(newer.Maps),
		now: map[page.Key]*state{}, lost: map[page.Key]*state{},
	}
	c.successor, c.forerunner = pair(older.Maps, newer.Maps)
	for _, step := range []func() error{c.readNew, c.readOld, c.sketchNew, c.sketchOld} {
		if err := step(); err != nil {
			return nil, fmt.Errorf("compare harvests %d and %d: %w", older.Number, newer.Number, err)
		}
	}
	return c.report(), nil
}

// member is a page of a site: the indexes of the site and of the block in its map.
type member struct {
	site  int
	block int
}

func membersOf(maps []*sitemap.Map) map[page.Key]member {
	m := map[page.Key]member{}
	for i, s := range maps {
		for _, x := range s.Members.All() {
			if x.State == "fetched" {
				m[x.URL.Key()] = member{i, x.Block}
			}
		}
	}
	return m
}

// pair finds the maps of the same sites in two harvests: by the name of the site, or by a seed where no
// site of the other harvest has the name. None is -1.
func pair(older, newer []*sitemap.Map) (successor, forerunner []int) {
	successor, forerunner = slices.Repeat([]int{-1}, len(older)), slices.Repeat([]int{-1}, len(newer))
	match := func(keys func(*sitemap.Map) []string) {
		free := map[string]int{}
		for k, m := range slices.Backward(newer) { // the first of two counts
			for _, key := range keys(m) {
				if forerunner[k] < 0 {
					free[key] = k
				}
			}
		}
		for i, m := range older {
			for _, key := range keys(m) {
				if k, is := free[key]; is && successor[i] < 0 && forerunner[k] < 0 {
					successor[i], forerunner[k] = k, i
				}
			}
		}
	}
	match(func(m *sitemap.Map) []string { return []string{m.Site} })
	match(func(m *sitemap.Map) (seeds []string) {
		for _, u := range m.Seeds {
			seeds = append(seeds, string(u))
		}
		return seeds
	})
	return successor, forerunner
}

// comparison is a comparison under way.
type comparison struct {
	older, newer Sweep
	// by the number of a map, the number of the same site's in the other harvest; -1 for none
	successor, forerunner []int

	members map[page.Key]member // of the older harvest
	joined  map[page.Key]member // of the newer one

	now     map[page.Key]*state // by URL, as the newer harvest has it
	lost    map[page.Key]*state // pages of the older one that the newer one has not
	changes []Change
	rates   map[member]*Rate
	same    []int // unchanged, by site
	born    []*state
	index   map[uint64][]*state // born pages by the values of their sketches
	payload map[place]*state    // the first of them with a payload, on each host, and of all
}

// place is a payload on a host, "" for any host.
type place struct {
	digest page.Digest
	host   page.Host
}

// state is the knowledge of one harvest on a URL.
type state struct {
	url    page.URL
	status int
	digest page.Digest
	links  uint64 // fingerprint of the set of links
	words  int    // in the texts of the links
	to     page.URL
	drawn  bool   // by a browser: its payload does not tell what it shows
	wanted bool   // its sketch is needed
	known  bool   // the older harvest had it
	asked  bool   // the older harvest asked for it
	missed bool   // and did so last when its server failed, or the page was outside
	named  bool   // a page of the older harvest led to it
	taken  bool   // a lost page was found in it
	unheld Kind   // of a lost page, if a map of the newer harvest still has it
	found  *state // of a lost page, the likeliest new one, and how that is known
	how    string
	sketch *sketch.Sketch
	was    member
}

func stateOf(v *page.Visit) *state {
	s := &state{url: v.URL, status: v.Status, digest: v.Digest, drawn: v.Drawing == page.Drawn}
	s.links, s.words = linksOf(v)
	if v.SoftError {
		s.status = 404
	}
	if l := v.Redirected(); l != nil {
		s.to = l.URL
	}
	return s
}

func (s *state) good() bool { return s.status >= 200 && s.status < 300 || s.status == 304 }

// refused reports that a status tells nothing of the page.
func refused(status int) bool { return status <= 0 || status == 429 || status >= 500 }

// linksOf is a fingerprint of the set of a page's links that does not depend on their order, and
// the number of words in their texts.
func linksOf(v *page.Visit) (sum uint64, words int) {
	seen := map[page.Key]bool{}
	for i := range v.Links {
		l := &v.Links[i]
		if k := l.URL.Key(); l.Kind.Joins() && !seen[k] {
			seen[k] = true
			sum += xxh3.HashString(string(l.URL))
			words += len(strings.FieldsFunc(l.Text, func(r rune) bool {
				return !unicode.IsLetter(r) && !unicode.IsDigit(r)
			}))
		}
	}
	return sum, words
}

// readNew notes the pages of the newer harvest.
func (c *comparison) readNew() error {
	for v, err := range c.newer.Visits() {
		if err != nil {
			return err
		}
		c.now[v.URL.Key()] = stateOf(v)
	}
	return nil
}

// readOld finds which pages of the older harvest are the same, have changed, or are lost.
func (c *comparison) readOld() error {
	c.same = make([]int, len(c.older.Maps))
	c.rates = map[member]*Rate{}
	seen := map[page.Key]*state{}
	for v, err := range c.older.Visits() {
		if err != nil {
			return err
		}
		m, belongs := c.members[v.URL.Key()]
		for i := range v.Links {
			if to := c.now[v.Links[i].URL.Key()]; to != nil {
				to.named = true
			}
		}
		now := c.now[v.URL.Key()]
		if now == nil && !belongs {
			continue
		}
		old := stateOf(v)
		if now != nil {
			now.asked, now.missed = true, refused(v.Status) || old.good() && !belongs
		}
		if belongs && old.good() {
			old.was = m
			seen[v.URL.Key()] = old
		}
	}
	for key, old := range seen {
		now := c.now[key]
		if now != nil {
			now.known = true
		}
		switch {
		case now == nil || !now.good():
			old.wanted = true
			c.lost[key] = old
		case (now.status == 304 || now.digest == old.digest) && !(now.drawn && old.drawn):
			c.keep(old, Unchanged, 1)
		default:
			now.wanted, old.wanted = true, true
			c.lost[key] = old
		}
	}
	for key, s := range c.now {
		if _, belongs := c.joined[key]; belongs && !s.known && s.good() {
			s.wanted = true
			c.born = append(c.born, s)
		}
	}
	slices.SortFunc(c.born, func(a, b *state) int { return cmp.Compare(a.url, b.url) })
	return nil
}

// sketchNew reads the sketches of changed and new pages.
func (c *comparison) sketchNew() error {
	for v, err := range c.newer.Visits() {
		if err != nil {
			return err
		}
		if s := c.now[v.URL.Key()]; s.wanted {
			s.sketch = decode(v)
		}
	}
	c.index, c.payload = map[uint64][]*state{}, map[place]*state{}
	for _, s := range slices.Backward(c.born) {
		if !s.digest.IsZero() && !s.drawn {
			c.payload[place{s.digest, s.url.Host()}], c.payload[place{digest: s.digest}] = s, s
		}
	}
	for _, s := range c.born {
		if s.sketch != nil {
			for _, x := range s.sketch.Values {
				c.index[x] = append(c.index[x], s)
			}
		}
	}
	return nil
}

func decode(v *page.Visit) *sketch.Sketch {
	s := new(sketch.Sketch)
	if _, text := v.Shown(); len(text) == 0 || s.Decode(text) != nil {
		return nil
	}
	return s
}

// sketchOld reads the sketches of pages that changed or are lost, and decides on them.
func (c *comparison) sketchOld() error {
	for v, err := range c.older.Visits() {
		if err != nil {
			return err
		}
		if s := c.lost[v.URL.Key()]; s != nil && (v.OK() || v.Status == 304) {
			s.sketch = decode(v)
		}
	}
	order := slices.SortedFunc(maps.Keys(c.lost), func(a, b page.Key) int {
		return cmp.Compare(c.lost[a].url, c.lost[b].url)
	})
	var lost []*state
	for _, key := range order { // moves that are certain come before those that are likely
		old := c.lost[key]
		old.unheld = unhad[c.standing(old.url)]
		if c.present(key) {
			c.compare(old, c.now[key])
		} else if to := c.redirected(c.now[key]); to != nil {
			c.move(old, to, "redirect")
		} else if stand, is := c.stand(old, c.now[key]); is {
			c.settle(old, Change{Kind: LeftOut, To: stand, Resemblance: -1})
		} else {
			lost = append(lost, old)
		}
	}
	for _, own := range []bool{true, false} { // what two hosts have lost, and one has anew, is that host's
		lost = slices.DeleteFunc(lost, func(old *state) bool {
			if own || old.found != nil && old.found.taken {
				old.found, old.how = c.search(old)
			}
			found := old.found != nil && (!own || old.found.url.Host() == old.url.Host())
			if found {
				c.move(old, old.found, old.how)
			}
			return found
		})
	}
	for _, old := range lost {
		c.miss(old, c.now[old.url.Key()])
	}
	for _, s := range c.born {
		if !s.taken {
			c.arrive(s)
		}
	}
	return nil
}

// arrive notes a page that the older harvest had not.
func (c *comparison) arrive(s *state) {
	site := c.joined[s.url.Key()].site
	ch := Change{Kind: Born, URL: s.url, Site: c.newer.Maps[site].Site, Resemblance: -1}
	if i := c.forerunner[site]; i >= 0 {
		m := c.older.Maps[i]
		_, wanted := m.Members.Find(s.url)
		if wanted || s.missed || s.named && !s.asked || m.Excludes(s.url) {
			ch.Kind = Reached
		}
	}
	c.changes = append(c.changes, ch)
}

// present reports that the newer harvest has the page.
func (c *comparison) present(key page.Key) bool { return c.now[key] != nil && c.now[key].good() }

// compare decides on a page that both have, with different payloads.
func (c *comparison) compare(old, now *state) {
	r := resemblance(old.sketch, now.sketch)
	text := old.sketch != nil && now.sketch != nil && old.sketch.Lexical == now.sketch.Lexical
	kind := Edited
	switch {
	case text && old.links == now.links:
		kind, r = Unchanged, 1
	case text:
		kind = Links
	case r >= 0 && r < rewritten:
		kind = Rewritten
	case old.links != now.links && onlyLinks(old, now):
		kind = Links
	}
	c.keep(old, kind, r)
}

// keep settles a page that both have, as outside where it no longer belongs.
func (c *comparison) keep(old *state, kind Kind, resemblance float64) {
	if _, belongs := c.joined[old.url.Key()]; !belongs {
		kind = Outside
	}
	c.settle(old, Change{Kind: kind, Resemblance: resemblance})
}

// onlyLinks reports that a page has as many words more, or fewer, as the texts of its links:
// nothing else was written.
func onlyLinks(old, now *state) bool {
	if old.sketch == nil || now.sketch == nil {
		return true
	}
	more := int(now.sketch.Tokens) - int(old.sketch.Tokens) - (now.words - old.words)
	return -1 <= more && more <= 1
}

// resemblance of two texts; -1 where one is not known.
func resemblance(a, b *sketch.Sketch) float64 {
	if a == nil || b == nil {
		return -1
	}
	r, err := sketch.Resemblance(a, b)
	if err != nil {
		return -1
	}
	return r.Value
}

// redirected is the page to which a lost one leads.
func (c *comparison) redirected(now *state) *state {
	for range 20 { // as browsers bound a chain of redirects (Fetch standard, 4.4)
		if now == nil || now.to == "" {
			return nil
		}
		next := c.now[now.to.Key()]
		if next != nil && next.good() {
			return next
		}
		now = next
	}
	return nil
}

// move settles a page that was found under another address.
func (c *comparison) move(old, to *state, how string) {
	if how != "redirect" || !to.known {
		to.taken = true
	}
	c.settle(old, Change{Kind: Moved, To: to.url, How: how, Resemblance: resemblance(old.sketch, to.sketch)})
}

// stand is the page in whose favour one was left out as a copy.
func (c *comparison) stand(old, now *state) (page.URL, bool) {
	if c.newer.LeftOut == nil || now != nil || old.unheld == Failed {
		return "", false
	}
	return c.newer.LeftOut(old.url) // the copy may be new, and is where it was
}

// search looks for a lost page among the new ones. A page that its server failed to give may be where
// it was: only a new page of its own site says that it moved.
func (c *comparison) search(old *state) (to *state, how string) {
	now := c.now[old.url.Key()]
	missed := old.unheld == Failed || old.unheld == Unreached || now != nil && refused(now.status)
	may := func(to *state) bool {
		return !to.taken && (!missed || c.joined[to.url.Key()].site == c.successor[old.was.site])
	}
	for _, host := range []page.Host{old.url.Host(), ""} {
		if to := c.payload[place{old.digest, host}]; to != nil && !old.drawn && may(to) {
			return to, "payload"
		}
	}
	return c.alike(old, may), "resemblance"
}

// miss settles a page that was found nowhere.
func (c *comparison) miss(old, now *state) {
	ch := Change{Kind: Unlinked, Resemblance: -1}
	if k := c.successor[old.was.site]; k < 0 || c.newer.Maps[k].Excludes(old.url) {
		ch.Kind = Outside
	}
	if old.unheld == Failed || old.unheld != 0 && ch.Kind == Unlinked {
		ch.Kind = old.unheld
	}
	if now != nil {
		ch.Kind, ch.Status = Failed, now.status
		switch now.status {
		case 404, 410:
			ch.Kind = Gone
		case page.StatusRobots:
			ch.Kind = LeftOut
		}
	}
	c.settle(old, ch)
}

// unhad says what became of a page that a map still has, by its state there.
var unhad = map[string]Kind{"failed": Failed, "known": Unreached, "skipped": LeftOut}

// standing is the state of a page that a map of the newer harvest still has, "" of another one.
func (c *comparison) standing(u page.URL) string {
	for _, m := range c.newer.Maps {
		if i, has := m.Members.Find(u); has {
			return m.Members.At(i).State
		}
	}
	return ""
}

// alike is the new page that may be a lost one and resembles it most, one of its own host first where
// two do equally.
func (c *comparison) alike(old *state, may func(*state) bool) *state {
	if old.sketch == nil {
		return nil
	}
	common := map[*state]int{}
	for _, x := range old.sketch.Values {
		if list := c.index[x]; len(list) <= maxCommon {
			for _, s := range list {
				common[s]++
			}
		}
	}
	var best *state
	most := leastFound
	for s, n := range common {
		if !may(s) || 4*n < len(old.sketch.Values) { // cannot reach leastFound, whatever the sample
			continue
		}
		r := resemblance(old.sketch, s.sketch)
		if s.url.Directory() == old.url.Directory() {
			r += beside
		}
		if r < most || r == most && best != nil && !nearer(old, s, best) {
			continue
		}
		best, most = s, r
	}
	return best
}

// maxCommon is how many new pages may share a value of a sketch for it to tell anything (Broder et
// al. 1997, 5.1: 1000).
const maxCommon = 1000

// nearer reports that a is a likelier new address of a page than b.
func nearer(old, a, b *state) bool {
	share := func(s *state) int {
		n := 0
		for n < min(len(s.url), len(old.url)) && s.url[n] == old.url[n] {
			n++
		}
		return n
	}
	return cmp.Or(cmp.Compare(share(b), share(a)), cmp.Compare(a.url, b.url)) < 0
}

// settle notes the change of a page of the older harvest.
func (c *comparison) settle(old *state, ch Change) {
	ch.URL, ch.Site = old.url, c.siteOf(old.was.site)
	switch ch.Kind {
	case Unchanged:
		c.same[old.was.site]++
	default:
		c.changes = append(c.changes, ch)
	}
	switch ch.Kind {
	case Failed, Unlinked, Unreached, LeftOut, Outside, Born:
		return // nothing was seen of the page, or nothing of its change
	}
	r := c.rates[old.was]
	if r == nil {
		m := c.older.Maps[old.was.site]
		r = &Rate{
			Site: ch.Site, Group: blockName(m, old.was.block),
			Days: c.newer.Time.Sub(c.older.Time).Hours() / 24,
		}
		c.rates[old.was] = r
	}
	r.Visits++
	if ch.Kind != Unchanged {
		r.Changed++
	}
}

// siteOf names the site of a map of the older harvest, as the newer one does if it has the site.
func (c *comparison) siteOf(older int) string {
	if k := c.successor[older]; k >= 0 {
		return c.newer.Maps[k].Site
	}
	return c.older.Maps[older].Site
}

func blockName(m *sitemap.Map, i int) string {
	if i < 0 || i >= len(m.Blocks) {
		return "rest"
	}
	return m.Blocks[i].Name
}
