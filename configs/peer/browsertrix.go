package peer

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"watershed/configs"
)

// Why options of a browser, and some others, have no equal.
const (
	noBrowser = "a browser draws pages where browser.draw says so, and needs no such setting"
	noLogin   = "write login under the site, with the secret in a file or the environment"
	always    = "" // the same is done always, or there is nothing to say
	own       = "the program has a way of its own, which needs no setting"
	robotsNo  = "robots.txt is obeyed; to ignore it write politeness.robots: ignore with a robots_reason"
	oneByOne  = "a host is asked one request at a time, whatever the number of workers"
	agentNo   = "the User-Agent has the program's name, and operator.name and operator.contact"
)

// browsertrix has the options of Browsertrix Crawler: how the reader takes it, or why it cannot.
// Source: its documentation, cli-options.md, version 1.
var browsertrix = map[string]any{
	"seeds": nil, "url": nil, "urls": nil, "seedFile": nil, "urlFile": nil, "scopeType": nil, "include": nil,
	"scopeIncludeRx": nil, "exclude": nil, "scopeExcludeRx": nil, "depth": nil, "extraHops": nil,
	"pageLimit": nil, "limit": nil, "maxPageLimit": nil, "sizeLimit": nil, "timeLimit": nil,
	"blockRules":     nil,
	"pageExtraDelay": nil, "delay": nil, "rolloverSize": nil, "generateWACZ": nil, "generatewacz": nil,
	"generateWacz": nil, "warcPrefix": nil, "maxPageRetries": nil, "retries": nil,
	"collection": nil, "name": nil, "warcinfo": nil, "warcInfo": nil, "proxyServer": nil, "lang": nil,
	"useSitemap": always, "sitemap": always, "useRobots": always, "robots": always, "generateCDX": always,
	"generatecdx": always, "generateCdx": always, "reportSkipped": always,
	"combineWARC": "WARC files are as long as archive.warc_size says",
	"workers":     oneByOne, "userAgent": agentNo, "userAgentSuffix": agentNo, "profile": noLogin,
	"behaviors": noBrowser, "behaviorTimeout": noBrowser, "customBehaviors": noBrowser,
	"screenshot": noBrowser, "waitUntil": noBrowser, "text": "words are indexed by harvest --words",
	"headless": noBrowser, "driver": noBrowser, "mobileDevice": noBrowser, "timeout": noBrowser,
	"pageLoadTimeout": noBrowser, "postLoadDelay": noBrowser, "clickSelector": noBrowser,
	"selectLinks": "links are read of every place that a page has them", "linkSelector": noBrowser,
	"allowHashUrls": noBrowser, "blockAds": "name what is to be left out under exclude",
	"autoclick":    noBrowser,
	"blockMessage": own, "logging": own, "logLevel": own, "context": own, "statsFilename": own, "cwd": own,
	"saveState": own, "saveStateInterval": own, "overwrite": own, "redisStoreUrl": own, "crawlId": own,
	"id":              own,
	"diskUtilization": own, "dedupPolicy": own, "screencastPort": noBrowser, "healthCheckPort": own,
	"description": "there is no place for it", "config": own, "serviceWorker": noBrowser,
	"failOnFailedSeed": own, "netIdleWait": noBrowser, "title": "there is no place for it",
}

// scopes are Browsertrix' scopes by our boundaries.
var scopes = map[string]string{
	"": "prefix", "prefix": "prefix", "host": "host", "domain": "domain", "page": "list", "page-spa": "list",
	"custom": "list",
}

func (r *reader) browsertrix(root *node) {
	for _, k := range root.keys {
		r.option(k, root.at[k])
	}
	for _, key := range []string{"url", "urls", "seeds"} {
		n := root.at[key]
		if n == nil {
			continue
		}
		if n.list == nil {
			n = &node{list: []*node{n}, line: n.line}
		}
		for _, s := range n.list {
			if s.at == nil {
				r.begin(s.line, s.text, r.scope(root, root)...)
				continue
			}
			for _, k := range s.keys {
				if !slices.Contains([]string{
					"url", "scopeType", "include", "exclude", "depth", "extraHops", "sitemap",
					"scopeIncludeRx", "scopeExcludeRx", "limit",
				}, k) {
					r.note(s.at[k].line, "seeds."+k, "no equal for a single seed")
				}
			}
			if u := s.at["url"]; u != nil {
				r.begin(u.line, u.text, r.scope(s, root)...)
			}
		}
	}
	for _, key := range []string{"seedFile", "urlFile"} {
		n := root.at[key]
		if n == nil {
			continue
		}
		path, data, err := r.beside(n.text)
		if err != nil {
			r.note(n.line, key, "%s could not be read (%v): write its addresses under seeds", n.text, err)
			continue
		}
		for i, line := range lines(string(data)) {
			if line = strings.Trim(line, " \t\"'"); line != "" && line[0] != '#' {
				file := r.file
				r.file = path
				r.begin(i+1, line, r.scope(root, root)...)
				r.file = file
			}
		}
	}
}

// option takes an option that holds for all seeds.
func (r *reader) option(key string, n *node) {
	reason, known := browsertrix[key]
	switch key {
	case "limit", "pageLimit", "maxPageLimit":
		if i := r.number(key, n); i > 0 {
			r.set("limits.pages", i)
		}
	case "sizeLimit":
		if i := r.number(key, n); i > 0 {
			r.set("limits.bytes", fmt.Sprintf("%dB", i))
		}
	case "timeLimit":
		if i := r.number(key, n); i > 0 {
			r.set("limits.time", fmt.Sprintf("%ds", i))
		}
	case "pageExtraDelay", "delay":
		r.delay(r.number(key, n))
	case "rolloverSize":
		if i := r.number(key, n); i >= 1e6 && i <= 1e12 {
			r.set("archive.warc_size", fmt.Sprintf("%dB", i))
		}
	case "maxPageRetries", "retries":
		r.set("politeness.retry.attempts", min(max(r.number(key, n)+1, 1), 100))
	case "warcPrefix":
		r.set("archive.prefix", Name(n.text))
	case "generateWACZ", "generatewacz", "generateWacz":
		r.set("archive.wacz", n.is(true))
	case "collection":
		r.Draft.Harvest = n.text
	case "name":
		r.Draft.Harvest = cmp.Or(r.Draft.Harvest, n.text)
	case "warcinfo", "warcInfo":
		for _, k := range n.keys {
			if k == "operator" {
				r.Draft.Operator.Name = n.at[k].text
			} else {
				r.note(n.at[k].line, key+"."+k, "warcinfo is written by the program")
			}
		}
	case "lang":
		r.note(n.line, key, "no equal: pages are asked for without a language")
	case "proxyServer":
		r.note(n.line, key, "only an HTTP proxy can be used: network.proxy")
	case "blockRules":
		r.note(n.line, key, "write the addresses under exclude, as regex: rules; it "+
			"holds for images and styles, too")
	default:
		switch text, _ := reason.(string); {
		case !known:
			r.note(n.line, key, "no equal, left out")
		case text != "":
			if s := n.texts(); len(s) > 0 || n.at != nil {
				r.note(n.line, key, "%s", text)
			}
		}
	}
}

// delay makes the least pause longer, never shorter.
func (r *reader) delay(seconds int64) {
	if seconds > 2 && seconds <= 86_400 {
		r.set("politeness.min_delay", fmt.Sprintf("%ds", seconds))
		if seconds > 30 {
			r.set("politeness.max_delay", fmt.Sprintf("%ds", seconds))
		}
	}
}

// scope is what holds for a seed: what it says itself, else what all say.
func (r *reader) scope(seed, root *node) (list []configs.Setting) {
	get := func(keys ...string) *node {
		for _, n := range []*node{seed, root} {
			for _, k := range keys {
				if v := n.at[k]; v != nil {
					return v
				}
			}
		}
		return nil
	}
	scope, line := "", seed.line
	if n := get("scopeType"); n != nil {
		scope, line = n.text, n.line
	}
	include := r.expressions("include", get("include", "scopeIncludeRx"))
	boundary, known := scopes[scope]
	switch {
	case scope == "any":
		boundary = "logical"
		r.once(line, "scopeType: any", "the web has no end; logical finds what belongs to each seed")
	case !known:
		boundary = "prefix"
		r.once(line, "scopeType: "+scope, "not known, taken for prefix")
	case scope == "page-spa":
		r.once(line, "scopeType: page-spa", "write draw: always under the site")
	case scope == "" && len(include) > 0:
		boundary = "list" // include replaces the prefix there
	}
	list = append(list, configs.Setting{Key: "boundary", Value: boundary})
	list = add(list, "include", include)
	list = add(list, "exclude", r.expressions("exclude", get("exclude", "scopeExcludeRx")))
	for from, to := range map[string]string{
		"depth": "limits.depth", "extraHops": "extra_hops", "limit": "limits.pages",
	} {
		n := get(from)
		if from == "limit" {
			n = seed.at[from] // that of all seeds together is an option of the harvest
		}
		if n == nil || seed == root && from == "limit" {
			continue
		}
		switch i := r.number(from, n); {
		case from == "extraHops" && i > mostHops:
			r.once(n.line, from, hopsNo)
			i = mostHops
			fallthrough
		case i > 0:
			list = append(list, configs.Setting{Key: to, Value: i})
		case i == 0 && from == "depth" && boundary != "list":
			list[0].Value = "list"
		}
	}
	slices.SortStableFunc(list[1:], func(a, b configs.Setting) int { return strings.Compare(a.Key, b.Key) })
	return list
}

// number is a whole number; another value is noted, and -1 in place of it, which stands for no limit.
func (r *reader) number(what string, n *node) int64 {
	i, ok := n.number()
	if !ok {
		r.once(n.line, what, "no whole number: "+short(n.text))
		return -1
	}
	return i
}

// once notes what was not noted before at that line.
func (r *reader) once(line int, what, say string) {
	n := Note{r.file, line, what, say}
	if !slices.Contains(r.Notes, n) {
		r.Notes = append(r.Notes, n)
	}
}

func (r *reader) expressions(what string, n *node) (list []string) {
	if n == nil {
		return nil
	}
	before := len(r.Notes)
	for _, text := range n.texts() {
		if rule := r.rule(n.line, what, "regex:"+text); rule != "" {
			list = append(list, rule)
		}
	}
	for _, note := range slices.Clone(r.Notes[before:]) { // of each seed the same
		if slices.Contains(r.Notes[:before], note) {
			r.Notes = r.Notes[:before]
			break
		}
	}
	return list
}
