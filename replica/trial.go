package replica

import (
	"cmp"
	"maps"
	"slices"

	"watershed/page"
)

// Trial compares samples of the pages left out with the pages that stand for them, while a harvest
// goes on: it says which pages to fetch, learns their visits, and judges a replica once all its
// pairs were visited. It is not safe for concurrent use.
type Trial struct {
	opts    Options
	similar func(a, b *page.Visit) float64
	cases   map[string]*trialCase
	byURL   map[page.URL][]*pair
	asked   map[page.URL]bool
	wants   []page.URL
	decided []Verdict
}

type trialCase struct {
	from           string
	open           int // pairs not yet decided
	reserve        []*pair
	tested, agreed int
	sum            float64 // of the resemblances
	judged         bool
}

// pair is a page of a replica and the page that stands for it.
type pair struct {
	of           *trialCase
	replica      page.URL
	stand        page.URL
	seen, stands *page.Visit
	wanted, done bool
}

// Verdict is the result of a trial for a replica.
type Verdict struct {
	From     string
	Agrees   bool
	Evidence Evidence // Tested, Agreed and Resemblance
}

// NewTrial makes a trial without samples. similar gives the resemblance of the pages of two
// successful visits, 0 to 1.
func NewTrial(o Options, similar func(a, b *page.Visit) float64) *Trial {
	return &Trial{
		opts: o.WithDefaults(), similar: similar, cases: map[string]*trialCase{},
		byURL: map[page.URL][]*pair{}, asked: map[page.URL]bool{},
	}
}

// Add has pages of a replica compared with the pages that stand for them, which resolve gives;
// pages of the reserve only if some of the sample do not agree. Pages for which no page stands are
// passed over.
func (t *Trial) Add(from string, sample, reserve []page.URL, resolve func(page.URL) (page.URL, bool)) {
	c := t.cases[from]
	if c == nil {
		c = &trialCase{from: from}
		t.cases[from] = c
	}
	for i, u := range slices.Concat(sample, reserve) {
		stand, ok := resolve(u)
		switch p := (&pair{of: c, replica: u, stand: stand}); {
		case !ok || stand == u:
		case i < len(sample):
			t.want(p)
		default:
			c.reserve = append(c.reserve, p)
			t.heed(p)
		}
	}
}

// want asks for both pages of a pair.
func (t *Trial) want(p *pair) {
	p.wanted = true
	p.of.open++
	t.heed(p)
	for _, u := range []page.URL{p.replica, p.stand} {
		if !t.asked[u] {
			t.asked[u] = true
			t.wants = append(t.wants, u)
		}
	}
	t.compare(p) // if both were visited before
}

// heed has visits of both pages of a pair kept for it.
func (t *Trial) heed(p *pair) {
	for _, u := range []page.URL{p.replica, p.stand} {
		if !slices.Contains(t.byURL[u], p) {
			t.byURL[u] = append(t.byURL[u], p)
		}
	}
}

// Wants gives the pages that are to be fetched and were not given before.
func (t *Trial) Wants() []page.URL {
	wants := t.wants
	t.wants = nil
	return wants
}

// Verdicts gives the judgements since the last call, in the order of the replicas' names.
func (t *Trial) Verdicts() []Verdict {
	list := t.decided
	t.decided = nil
	slices.SortFunc(list, func(a, b Verdict) int { return cmp.Compare(a.From, b.From) })
	return list
}

// Open gives the replicas that are not judged yet.
func (t *Trial) Open() []string {
	var open []string
	for _, from := range slices.Sorted(maps.Keys(t.cases)) {
		if !t.cases[from].judged {
			open = append(open, from)
		}
	}
	return open
}

// Learn takes over a visit; one that no pair waits for costs a look into a table. The visit must
// not change afterwards. Of a page that is visited again the last visit counts until its pair is
// compared.
func (t *Trial) Learn(v *page.Visit) {
	for _, p := range t.byURL[v.URL] {
		if p.done {
			continue
		}
		if v.URL == p.replica {
			p.seen = v
		} else {
			p.stands = v
		}
		t.compare(p)
	}
}

// compare decides a pair when both of it were visited. Nothing can be lost where the replica has no
// page; a page that the replica alone has speaks against it.
func (t *Trial) compare(p *pair) {
	if !p.wanted || p.done || p.seen == nil || p.stands == nil {
		return
	}
	p.done = true
	c := p.of
	c.open--
	switch {
	case leadsTo(p.seen, p.stand):
		c.tested++
		c.agreed++
		c.sum++
	case !good(p.seen):
	case !good(p.stands):
		c.tested++
	default:
		r := 1.
		if p.seen.Digest.IsZero() || p.seen.Digest != p.stands.Digest {
			r = t.similar(p.seen, p.stands)
		}
		c.tested++
		c.sum += r
		if r >= t.opts.Similar {
			c.agreed++
		}
	}
	t.judge(c)
}

// judge decides a case when all its pairs are, or when the rest cannot change the outcome for the
// better. Where some do not agree, the reserve is called first.
func (t *Trial) judge(c *trialCase) {
	if c.judged {
		return
	}
	left := c.open + len(c.reserve)
	hopeless := float64(c.agreed+left) < t.opts.Agree*float64(c.tested+left)
	if c.open > 0 && !hopeless {
		return
	}
	if c.open == 0 && !hopeless && c.agreed < c.tested && len(c.reserve) > 0 {
		reserve := c.reserve
		c.reserve = nil
		for _, p := range reserve {
			t.want(p)
		}
		return
	}
	c.judged = true
	if c.tested == 0 {
		return // nothing could be compared, which is no judgement
	}
	v := Verdict{
		From: c.from, Agrees: !hopeless,
		Evidence: Evidence{Tested: c.tested, Agreed: c.agreed, Resemblance: c.sum / float64(c.tested)},
	}
	t.decided = append(t.decided, v)
}

// good reports a page that was had, or is held unchanged.
func good(v *page.Visit) bool { return v.OK() || v.Status == 304 }

// leadsTo reports a redirect to a URL.
func leadsTo(v *page.Visit, to page.URL) bool {
	if v.Status < 300 || v.Status >= 400 || v.Status == 304 {
		return false
	}
	return slices.ContainsFunc(v.Links, func(l page.Link) bool {
		return l.Kind == page.Redirect && l.URL == to
	})
}
