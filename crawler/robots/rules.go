package robots

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"time"

	"watershed/page"
)

// Rules are the lines of a robots.txt that concern one crawler. They do not change and are safe for
// concurrent use. The zero Rules allow everything.
type Rules struct {
	agent    string // of the group: the crawler's name, "*", or "" for none
	rules    []rule // most specific first
	delay    time.Duration
	sitemaps []string
}

type rule struct {
	pattern
	allow  bool
	number int
	text   string
}

// Verdict says whether a URL may be fetched, and why.
type Verdict struct {
	Allowed bool
	Agent   string // of the group that was heard, "*" for the one for all; "" when none was
	Rule    string // the line that decided, as it stands in the file; "" when none did
	Line    int    // its number, from 1
	Cause   string // what else there is to say of it, for example "no robots.txt: 404"
}

// String says it in a line of a report.
func (v Verdict) String() string {
	word := "disallowed"
	if v.Allowed {
		word = "allowed"
	}
	if v.Rule == "" {
		return word + ": " + cmp.Or(v.Cause, "no rule of robots.txt concerns it")
	}
	word += " by line " + strconv.Itoa(v.Line) + " of robots.txt for " + v.Agent + ": " + v.Rule
	if v.Cause != "" {
		word += " (" + v.Cause + ")"
	}
	return word
}

// Parse reads the rules for the crawler named by product, its product token. It refuses no text. It
// takes time linear in the length of the text.
func Parse(text []byte, product string) *Rules {
	own, anyone := group{agent: product}, group{agent: "*"}
	var sitemaps []string
	var open []*group  // the group of lines that is being read speaks to these
	var paced []*group // of these, those that a Crawl-delay concerns: named since the one before
	ruled := true      // a rule was read: the next user-agent line begins another group
	delayed := false   // a Crawl-delay was read behind the names
	scan(text, func(l line) {
		switch l.field {
		case userAgent:
			if ruled {
				open, ruled, delayed = open[:0], false, true
			}
			if delayed {
				paced, delayed = paced[:0], false
			}
			if l.value == "*" || strings.HasPrefix(l.value, "* ") {
				open = append(open, &anyone)
			} else if names(l.value, product) {
				open = append(open, &own)
			} else {
				return
			}
			open[len(open)-1].there = true
			paced = append(paced, open[len(open)-1])
		case allow, disallow:
			ruled = true
			for _, g := range open {
				g.rule(l)
			}
		// no rule of the standard: it ends no group of rules; who is named behind it has another
		// delay, or none
		case crawlDelay:
			delayed = true
			for _, g := range paced {
				g.delay = longer(g.delay, l.value)
			}
		case sitemap:
			sitemaps = append(sitemaps, l.value)
		}
	})
	g := &own
	if !own.there {
		g = &anyone
	}
	return g.close(sitemaps)
}

// group collects the lines for one name, of all the groups that have it (RFC 9309, 2.2.1).
type group struct {
	agent string
	there bool
	rules []rule
	delay string
}

func (g *group) rule(l line) {
	if l.value == "" {
		return // an empty path fits nothing
	}
	g.rules = append(g.rules, rule{
		pattern: newPattern(l.value), allow: l.field == allow, number: l.number,
		text: l.text,
	})
}

func (g *group) close(sitemaps []string) *Rules {
	r := &Rules{rules: g.rules}
	if g.there {
		r.agent = g.agent
	}
	// "The most specific match ... is the match that has the most octets. If an allow rule and a
	// disallow rule are equivalent, then the allow rule SHOULD be used" (2.2.2): in this order the
	// first that fits decides.
	slices.SortStableFunc(r.rules, func(a, b rule) int {
		return cmp.Or(cmp.Compare(b.octets, a.octets), cmp.Compare(permission(b), permission(a)))
	})
	r.delay, r.sitemaps = extensions(g.delay, sitemaps)
	return r
}

func permission(r rule) int {
	if r.allow {
		return 1
	}
	return 0
}

// Check judges a URL by its path and query. /robots.txt itself is always allowed (2.2.2). It costs
// at most the length of the URL for each rule.
func (r *Rules) Check(u page.URL) Verdict {
	path := normalise(u.PathQuery())
	if path == "/robots.txt" {
		return Verdict{Allowed: true, Cause: "robots.txt itself"}
	}
	for i := range r.rules {
		if rule := &r.rules[i]; rule.fits(path) {
			return Verdict{Allowed: rule.allow, Agent: r.agent, Rule: rule.text, Line: rule.number}
		}
	}
	return Verdict{Allowed: true, Agent: r.agent}
}

// CrawlDelay is the time that the site asks to have between two requests, 0 when it asks for none.
func (r *Rules) CrawlDelay() time.Duration { return r.delay }

// Sitemaps are the addresses on Sitemap lines, as they stand; they are to be resolved against that
// of the robots.txt.
func (r *Rules) Sitemaps() []string { return slices.Clone(r.sitemaps) }
