package replica

import (
	"cmp"
	"maps"
	"slices"

	"watershed/page"
)

// Trial compares samples of what is left out with what stands for it, while a harvest goes on: it says which pages to fetch,
// learns their visits, and judges a replica once all its pairs were visited. It is not safe for concurrent use.
type Trial struct {
	opts    Options
	similar func(a, b *page.Visit) float64
	cases   map[string]*trialCase
	byURL   map[page.URL][]*pair
	wants   []page.URL
	decided []Verdict
}

type trialCase struct {
	from           string
	open           int // pairs not yet decided
	tested, agreed int
	sum            float64 // of the resemblances
	judged         bool
}

// pair is a page of a replica and what stands for it.
type pair struct {
	of           *trialCase
	replica      page.URL
	stand        page.URL
	seen, stands *page.Visit
	done         bool
}

// Verdict is what a trial says of a replica.
type Verdict struct {
	From     string
	Agrees   bool
	Evidence Evidence // Tested, Agreed and Resemblance
}

// NewTrial makes a trial without samples. similar gives the resemblance of the pages of two successful visits, 0 to 1.
func NewTrial(o Options, similar func(a, b *page.Visit) float64) *Trial {
	return &Trial{opts: o.WithDefaults(), similar: similar, cases: map[string]*trialCase{}, byURL: map[page.URL][]*pair{}}
}

// Add has pages of a replica compared with what stands for them, which resolve gives. Pages that nothing stands for are passed
// over.
func (t *Trial) Add(from string, sample []page.URL, resolve func(page.URL) (page.URL, bool)) {
	c := t.cases[from]
	if c == nil {
		c = &trialCase{from: from}
		t.cases[from] = c
	}
	for _, u := range sample {
		stand, ok := resolve(u)
		if !ok || stand == u {
			continue
		}
		p := &pair{of: c, replica: u, stand: stand}
		c.open++
		for _, w := range []page.URL{u, stand} {
			if len(t.byURL[w]) == 0 {
				t.wants = append(t.wants, w)
			}
			t.byURL[w] = append(t.byURL[w], p)
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

// Learn takes over a visit; one that no pair waits for costs a look into a table. The visit must not change afterwards. Of a page
// that is visited again the last visit counts until its pair is compared.
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

// compare decides a pair when both of it were visited. Nothing can be lost where the replica has no page; a page that the replica alone has
// speaks against it.
func (t *Trial) compare(p *pair) {
	if p.seen == nil || p.stands == nil {
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

// judge decides a case when all its pairs are, or when the rest cannot change the outcome for the better.
func (t *Trial) judge(c *trialCase) {
	if c.judged {
		return
	}
	hopeless := float64(c.agreed+c.open) < t.opts.Agree*float64(c.tested+c.open)
	if c.open > 0 && !hopeless {
		return
	}
	c.judged = true
	if c.tested == 0 {
		return // nothing could be compared, which is no judgement
	}
	v := Verdict{From: c.from, Agrees: !hopeless, Evidence: Evidence{Tested: c.tested, Agreed: c.agreed, Resemblance: c.sum / float64(c.tested)}}
	t.decided = append(t.decided, v)
}

// good reports a page that was had, or is held unchanged.
func good(v *page.Visit) bool { return v.OK() || v.Status == 304 }

// leadsTo reports a redirect to a URL.
func leadsTo(v *page.Visit, to page.URL) bool {
	if v.Status < 300 || v.Status >= 400 || v.Status == 304 {
		return false
	}
	return slices.ContainsFunc(v.Links, func(l page.Link) bool { return l.Kind == page.Redirect && l.URL == to })
}
