package robots

import (
	"fmt"
	"slices"

	"watershed/page"
)

// Policy is how far a harvest heeds robots.txt. The names are Veidemann's, as far as it has them.
type Policy string

// The policies. Whatever the policy, robots.txt is fetched: for the archive, its sitemaps and its
// Crawl-delay.
const (
	Obey            Policy = "obey"              // every URL; also ""
	ObeyPages       Policy = "obey-pages"        // pages, but not what they need to be shown
	Custom          Policy = "custom"            // a text of the operator's stands for it
	CustomIfMissing Policy = "custom-if-missing" // likewise, on sites that have none
	// not obeyed; the verdict still tells what robots.txt says
	Ignore Policy = "ignore"
)

var policies = []Policy{Obey, ObeyPages, Custom, CustomIfMissing, Ignore}

// parsePolicy reads a policy's name; "" is Obey.
func parsePolicy(s string) (Policy, error) {
	if s == "" {
		return Obey, nil
	}
	if p := Policy(s); slices.Contains(policies, p) {
		return p, nil
	}
	return "", fmt.Errorf("robots policy %q: want one of %q", s, policies)
}

// judge applies the policy to the rules of a file for a URL. custom may be nil.
func (p Policy) judge(f *File, u page.URL, custom *Rules) (Verdict, State) {
	switch p {
	case Custom:
		return byCustom(custom, u), Known
	case CustomIfMissing:
		if f.missing() {
			return byCustom(custom, u), Known
		}
	case Ignore:
		v, state := Obey.judge(f, u, nil)
		if state == Known && v.Allowed {
			return v, Known
		}
		if v.Cause == "" {
			v.Cause = "policy is to ignore robots.txt"
		} else {
			v.Cause += "; policy is to ignore robots.txt"
		}
		v.Allowed = true
		return v, Known
	}
	if f.Rules == nil {
		return Verdict{Cause: f.Cause}, Waiting
	}
	v := f.Rules.Check(u)
	if v.Rule == "" && v.Cause == "" {
		v.Cause = f.Cause
	}
	return v, Known
}

func byCustom(custom *Rules, u page.URL) Verdict {
	if custom == nil {
		custom = &Rules{}
	}
	v := custom.Check(u)
	if v.Cause == "" {
		v.Cause = "rules of the operator"
	}
	return v
}
