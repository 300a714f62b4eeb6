package harvest

import (
	"cmp"
	"fmt"
	"net/http"
	"strings"
	"time"

	"watershed/internal/console"
	"watershed/page"
	"watershed/sitemap"
	"watershed/store"
)

// robotsPath is where the rules of a host lie.
const robotsPath = "/robots.txt"

// Advice says what to do to have a URL that a harvest has not: the lines of the YAML, the option, or
// the command, in which FILE stands for the YAML; of a URL that was captured and belongs, what keeps it
// out where it should not. sites are the explanations of its sites, f what
// became of the URL; nil where it was never wanted. It is "" where nothing can be done, and for what
// was captured as a seed or as a part of a page.
func Advice(u page.URL, sites []sitemap.Explanation, f *Fetching) string {
	if f == nil && u.PathQuery() == robotsPath || f != nil && (f.MadeUp && f.Via == "" || f.SoftError) {
		return ""
	}
	inside, shunned, known, below, ruled := false, false, false, false, ""
	var outer *sitemap.Explanation // of the site that it is nearest to, nil where it is inside of all
	for i := range sites {
		e := &sites[i]
		inside = inside || e.Inside
		known, below = known || e.Known(), below || e.Below != ""
		if shunned = shunned || e.Reason == "noFollow"; e.Reason == "rule" {
			ruled = e.Note
		}
		if !e.Inside && (outer == nil || nearer(e, outer)) {
			outer = e
		}
	}
	if f != nil {
		if text := f.advice(u, inside); text != "" {
			return text
		}
	}
	switch {
	case inside && f != nil:
		return parting(u, sites)
	case inside:
		return "the run ended before its turn: the same command goes on, or after a limit of a site, " +
			"once it is raised, watershed harvest --extend FILE"
	case ruled != "":
		return fmt.Sprintf("a rule of the YAML or a decision keeps it out: take %q away from exclude, or "+
			"withdraw the decision (watershed decide list FILE), then watershed harvest --extend FILE", ruled)
	case shunned:
		return reasonAdvice[store.NoFollow]
	case outer != nil && outer.Left != nil:
		return fmt.Sprintf("it lies below the directory of a seed, in a place that stays out with %s: "+
			"if that belongs, write under the site in the YAML: %s, then watershed harvest --extend FILE",
			console.Plural(outer.Left.Pages, "page", "pages"), outer.Left.Line())
	case known:
		return "if it belongs, " + include(u) + allow(u) + allOf(outer.Place) +
			", then watershed harvest --extend FILE"
	}
	text, place := "if it belongs, ", allow(u)
	if below { // the seed's network is allowed
		text, place = "to have it, ", ""
	}
	if outer != nil {
		place += allOf(outer.Place)
	}
	if f == nil && (outer == nil || outer.Place == nil) {
		text = "no page of the site leads to it, perhaps because only a script or a form does. " +
			strings.ToUpper(text[:1]) + text[1:]
	}
	return text + include(u) + place + ", or name it under seeds, then watershed harvest --extend FILE"
}

// parting says how a page leaves the site that it was captured for, where the links or its directory have
// brought it in, or a rule.
func parting(u page.URL, sites []sitemap.Explanation) string {
	for i := range sites {
		e := &sites[i]
		if !e.Inside {
			continue
		}
		switch e.Why {
		case sitemap.WhyRule:
			return fmt.Sprintf("if it does not belong, take %q away from include, or withdraw the decision "+
				"(watershed decide list FILE), then watershed harvest --extend FILE", e.Note)
		case sitemap.WhyPrefix, sitemap.WhyFlow, sitemap.WhyDocument:
		default:
			continue
		}
		text := fmt.Sprintf("if it does not belong, write under the site in the YAML: exclude: [%q]",
			page.Rule{Kind: page.RuleURL, Value: string(u)}.String())
		if x := e.Place; x != nil {
			text += fmt.Sprintf(", or for all of %s, where %d pages are inside: %s", x.Name, x.Pages,
				x.Exclusion())
		}
		return text + ", then watershed harvest --extend FILE"
	}
	return ""
}

// allOf is the line that takes in the place in which a page outside lies; nil for none.
func allOf(x *sitemap.LeftBelow) string {
	if x == nil {
		return ""
	}
	return fmt.Sprintf(", or for all of %s, where %d known pages are outside: %s", x.Name, x.Pages, x.Line())
}

// nearer reports whether a page outside is nearer to one site than to another.
func nearer(e, than *sitemap.Explanation) bool {
	if (e.Left != nil) != (than.Left != nil) {
		return e.Left != nil
	}
	return e.Since > than.Since || e.Since == than.Since && e.Place != nil && than.Place == nil
}

// include is the line of the YAML that takes a URL in.
func include(u page.URL) string {
	return fmt.Sprintf("write under the site in the YAML: include: [%q]",
		page.Rule{Kind: page.RuleURL, Value: string(u)}.String())
}

// allow is the other line that an address takes which no harvest asks for by default.
func allow(u page.URL) string {
	if a, is := u.Host().Address(); is && (!a.IsGlobalUnicast() || a.IsPrivate()) {
		return ", list its network in network.allow_private"
	}
	return ""
}

// limitAdvice is what to do about a limit.
const limitAdvice = "raise the limit that is told, under limits of the harvest, limits.host, or limits " +
	"of the site, then watershed harvest --extend FILE"

// copyAdvice is what to do about what was left out as a copy's.
const copyAdvice = "watershed copies list FILE shows why; watershed copies reject FILE NAME has it fetched " +
	"by the next run"

// reasonAdvice is what to do about what was left out or failed, by the reason.
var reasonAdvice = map[store.Reason]string{
	store.Excluded: "take the rule that is told away from exclude, or withdraw the decision (watershed " +
		"decide list FILE), then watershed harvest --extend FILE",
	store.Robots: "ask the webmaster. With consent, write: politeness: {hosts: [{match: HOST, robots: " +
		"ignore, robots_reason: TEXT}]}, then watershed harvest --extend FILE",
	store.LimitPages: limitAdvice, store.LimitFiles: limitAdvice, store.LimitBytes: limitAdvice,
	store.LimitDepth: "raise limits.depth of the site",
	store.TrapRepeat: "raise traps.max_repeated_segments", store.TrapLength: "raise traps.max_url_length",
	store.TrapDepth: "raise traps.max_path_depth", store.TrapHops: "raise traps.max_hops",
	store.TrapHosts: "raise traps.max_hosts", store.TrapNested: "raise traps.max_nested",
	store.LowNovelty: "set traps.novelty_pages to 0, or higher, if the place is no trap, then " +
		"watershed harvest --extend FILE",
	store.Mirror: copyAdvice, store.Collection: copyAdvice,
	store.Copy: "watershed copies check FILE compares it with what stands for it; copies.pages: 0 has such " +
		"pages fetched by the next run",
	store.Private: "if the machine is one of yours that is to be harvested, list its network in " +
		"network.allow_private, then watershed harvest --extend FILE",
	store.NoFollow:  "set politeness.nofollow to follow, then watershed harvest --extend FILE",
	store.Collision: "give it a harvest of its own: its number is that of another address",
	store.Unread: "the page is in the archive; name the pages that only it leads to under seeds. The next " +
		"harvest reads it again",
	store.Refused: "open it in a browser: what shows itself there and not here has a longer head than " +
		"fetch.max_head allows, or speaks no HTTP/1; the next harvest asks again",
	store.DNS: "see that the name is spelt right, and that this machine reaches a name server; the " +
		"next harvest asks again",
	store.Login: "see the log for what was refused, mend login under the site in the YAML or the file or " +
		"variable that it names, then run the same command again",
	store.Loop: "open it in a browser: a page that shows itself there asks for cookies or scripts, and is " +
		"harvested better by a program that has them",
}

// again is what to do about a failure of a server.
const again = "the next harvest asks again; politeness.retry says how often and how patiently, and a " +
	"longer min_delay under politeness.hosts may keep a host from refusing"

// advice is what to do about what became of a URL; "" for nothing, or what its sites say decides.
func (f *Fetching) advice(u page.URL, inside bool) string {
	reason, _ := store.ParseReason(f.Reason) // NoReason where there is none
	switch f.State {
	case store.Pending.String():
		return "it waits for its turn: while the run is under way nothing is to be done; if it has " +
			"ended, the same command goes on"
	case store.Failed.String():
		return cmp.Or(reasonAdvice[reason], again)
	case store.Skipped.String():
		if trap[reason] {
			return trapAdvice(u, reason)
		}
		return strings.Replace(reasonAdvice[reason], "HOST", string(u.Host()), 1)
	case store.Done.String():
		switch {
		case f.Status == http.StatusUnauthorized && f.Login != "":
			return reasonAdvice[store.Login]
		case f.Status == http.StatusUnauthorized || f.Status == http.StatusForbidden:
			return fmt.Sprintf("its server answered %d %s, which is in the archive: a login of the site may "+
				"open it; where its host refuses everything since then, ask the webmaster, or be slower",
				f.Status, http.StatusText(f.Status))
		case f.Status >= http.StatusBadRequest:
			return fmt.Sprintf("its server answered %d %s, which is in the archive: is the address right?",
				f.Status, http.StatusText(f.Status))
		case f.Lacks == tooLong:
			return "raise fetch.max_body, then watershed harvest --extend FILE"
		case f.Lacks != "":
			return "watershed harvest --extend FILE asks for it again"
		case reason == store.Unread && inside:
			return reasonAdvice[reason]
		}
	}
	return ""
}

// waits adds to the advice about a URL that waits why it may wait for longer; bytes has the run.
func (v *view) waits(x *Explanation, bytes int64) {
	if x.Fetching == nil || x.Fetching.State != store.Pending.String() {
		return
	}
	most := v.plan.Frontier.Limits.Bytes
	if most > 0 && (bytes >= most || v.Extends() > 0) { // for what a run extends counts, too
		x.Advice += ", where limits.bytes ended it once that is raised"
	}
	if x.Host != nil && x.Host.Rests > 0 {
		x.Advice += fmt.Sprintf("; its host is asked again in %v", seconds(x.Host.Rests).Round(time.Second))
	}
}

// trap are the reasons that an explicit rule overrides.
var trap = map[store.Reason]bool{
	store.TrapRepeat: true, store.TrapQuery: true, store.TrapDepth: true, store.TrapLength: true,
	store.TrapHops: true, store.TrapHosts: true, store.TrapNested: true,
	store.LimitDepth: true,
}

// trapAdvice is what to do about the shape of an address, or its distance.
func trapAdvice(u page.URL, reason store.Reason) string {
	text := "if it is no trap, " + include(u) + allow(u)
	if other := reasonAdvice[reason]; other != "" {
		text += ", or " + other
	}
	return text + ", then watershed harvest --extend FILE"
}
