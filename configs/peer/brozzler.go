package peer

import (
	"fmt"
	"regexp"
	"strings"

	"watershed/configs"
)

// brozzler reads a job. Source: its job-conf.rst.
func (r *reader) brozzler(root *node) {
	for _, k := range root.keys {
		n := root.at[k]
		switch k {
		case "id":
			r.Draft.Harvest = n.text
		case "seeds", "scope":
		default:
			r.jobOption(k, n, len(root.at["seeds"].list) == 1)
		}
	}
	if root.at["seeds"] == nil {
		return
	}
	for _, s := range root.at["seeds"].list {
		u := s.at["url"]
		if u == nil {
			r.note(s.line, "seeds", "a seed without url")
			continue
		}
		list := []configs.Setting{{Key: "boundary", Value: "prefix"}}
		var scope scopeRules
		for _, level := range []*node{root, s} {
			if n := level.at["scope"]; n != nil {
				list = append(list, r.jobScope(n, &scope)...)
			}
		}
		list = scope.addTo(list)
		for _, k := range s.keys {
			if k != "url" && k != "scope" {
				r.jobOption(k, s.at[k], false)
			}
		}
		r.begin(u.line, u.text, list...)
	}
}

func (r *reader) jobOption(key string, n *node, alone bool) {
	switch key {
	case "time_limit":
		i, ok := n.number()
		if ok && alone {
			r.set("limits.time", fmt.Sprintf("%ds", i))
			return
		}
		r.note(n.line, key, "no equal for each seed; limits.time is that of the whole harvest")
	case "ignore_robots":
		if n.is(true) {
			r.note(n.line, key, "%s", robotsNo)
		}
	case "user_agent":
		r.note(n.line, key, "%s", agentNo)
	case "warcprox_meta":
		for _, k := range n.keys {
			if k == "warc-prefix" && alone {
				r.set("archive.prefix", Name(n.at[k].text))
			} else {
				r.note(n.at[k].line, key+"."+k, "there is no proxy that would read it")
			}
		}
	case "username", "password":
		r.note(n.line, key, "%s", noLogin)
	case "metadata":
		if len(n.keys) > 0 {
			r.note(n.line, key, "there is no place for it")
		}
	case "max_claimed_sites", "enable_warcprox_features", "remember_outlinks":
		r.note(n.line, key, "%s", own)
	default:
		r.note(n.line, key, "no equal")
	}
}

// jobScope reads a scope: its rules, and what it says of hops.
func (r *reader) jobScope(n *node, scope *scopeRules) (more []configs.Setting) {
	for _, k := range n.keys {
		v := n.at[k]
		switch k {
		case "surt":
			scope.take(r.rule(v.line, k, "surt:"+v.text), false)
		case "accepts", "blocks":
			for _, x := range v.list {
				scope.take(r.jobRule(k, x), k == "blocks")
			}
		case "max_hops", "max_hops_off", "max_hops_off_surt":
			i := r.number(k, v)
			switch {
			case k == "max_hops" && i == 0:
				r.once(v.line, k, "write boundary: list, which takes the seed alone")
			case k == "max_hops" && i > 0:
				more = append(more, configs.Setting{Key: "limits.depth", Value: i})
			case i > mostHops:
				r.once(v.line, k, hopsNo)
				fallthrough
			case i > 0:
				more = append(more, configs.Setting{Key: "extra_hops", Value: min(i, mostHops)})
			}
		default:
			r.note(v.line, "scope."+k, "no equal")
		}
	}
	return more
}

// jobRule is one rule of a scope, whose conditions must all hold.
func (r *reader) jobRule(what string, n *node) string {
	get := func(key string) string {
		if v := n.at[key]; v != nil {
			return v.text
		}
		return ""
	}
	if get("parent_url_regex") != "" {
		r.note(n.line, what, "a rule by the page that links has no equal there; see links in the YAML")
		return ""
	}
	part := map[string]string{
		"STRING_MATCH": "substring", "SURT_MATCH": "surt",
		"REGEX_MATCH": "regex",
	}[get("url_match")]
	value := func(key string) string {
		if key == part {
			return get("value")
		}
		return get(key)
	}
	domain, sub := get("domain"), regexp.QuoteMeta(value("substring"))
	conditions := 0
	for _, c := range []string{domain, sub, value("surt"), get("ssurt"), value("regex")} {
		if c != "" {
			conditions++
		}
	}
	rule := ""
	switch {
	case domain != "" && sub != "" && conditions == 2:
		rule = `regex:^https?://(?:[^/]*\.)?` + regexp.QuoteMeta(domain) + `(?::\d+)?/.*` + sub
	case conditions != 1:
		r.note(n.line, what, "a rule of these conditions has no equal: write it as a regex: rule")
		return ""
	case domain != "":
		rule = "domain:" + domain
	case sub != "":
		rule = "regex:" + sub
	case value("surt") != "":
		rule = "surt:" + value("surt")
	case get("ssurt") != "":
		rule = fromSSURT(get("ssurt"))
	default:
		rule = whole(value("regex"))
	}
	return r.rule(n.line, what, rule)
}

// fromSSURT is the rule of an SSURT, "com,example,//https:/path", whose scheme stands behind the
// host.
func fromSSURT(text string) string {
	host, rest, ok := strings.Cut(text, "//")
	if !ok {
		return "surt:http://(" + host
	}
	_, path, _ := strings.Cut(rest, "/")
	return "surt:http://(" + host + ")/" + path
}
