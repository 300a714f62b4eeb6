package peer

import (
	"bytes"
	"cmp"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"watershed/configs"
)

// element is one of crawler-beans.cxml. Comments, in which the defaults stand, are not read.
type element struct {
	name   string
	attr   map[string]string
	text   string
	line   int // of its beginning
	inside []*element

	said  strings.Builder // the text so far
	begun bool            // it is more than white space
}

// maxDepth bounds how deep elements lie in each other.
const maxDepth = 100

// parseBeans reads the elements of XML.
func parseBeans(data []byte) (*element, error) {
	d := xml.NewDecoder(bytes.NewReader(data))
	d.CharsetReader = func(_ string, in io.Reader) (io.Reader, error) { return in, nil }
	d.Entity = xml.HTMLEntity
	root := &element{}
	open := []*element{root}
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			return root, nil
		}
		if err != nil {
			return nil, err
		}
		top := open[len(open)-1]
		line, _ := d.InputPos()
		switch t := token.(type) {
		case xml.StartElement:
			if len(open) > maxDepth {
				return nil, fmt.Errorf("line %d: elements lie more than %d deep", line, maxDepth)
			}
			e := &element{name: t.Name.Local, line: line}
			for _, a := range t.Attr {
				if e.attr == nil {
					e.attr = map[string]string{}
				}
				e.attr[a.Name.Local] = a.Value
			}
			top.inside = append(top.inside, e)
			open = append(open, e)
		case xml.EndElement:
			top.text = top.said.String()
			open = open[:len(open)-1]
		case xml.CharData:
			if !top.begun {
				top.begun = len(bytes.TrimSpace(t)) > 0
				top.line = line - bytes.Count(bytes.TrimLeft(t, " \t\r\n"), []byte("\n"))
			}
			top.said.Write(t)
		}
	}
}

// find walks all elements.
func (e *element) find(visit func(*element)) {
	for _, x := range e.inside {
		visit(x)
		x.find(visit)
	}
}

// property is a child of that name, with its value wherever it is written.
func (e *element) property(name string) *element {
	for _, p := range e.inside {
		if p.name == "property" && p.attr["name"] == name {
			return p
		}
	}
	return nil
}

// value is what a property says: its attribute, its value element, or its text.
func (e *element) value() string {
	if e == nil {
		return ""
	}
	if v := e.attr["value"]; v != "" {
		return v
	}
	for _, x := range e.inside {
		if x.name == "value" {
			return x.value()
		}
	}
	return strings.TrimSpace(e.text)
}

// class is the last part of a bean's class.
func (e *element) class() string {
	c := e.attr["class"]
	return c[strings.LastIndexByte(c, '.')+1:]
}

// option is a property of a bean by its path, "disposition.minDelayMs".
type option struct {
	path, value string
	line        int
}

// beanOptions are the properties of Heritrix that have an equal: the key of ours, how the value is
// written there, and our default where a lesser value would be less gentle. Source:
// profile-crawler-beans.cxml of version 3.4.
var beanOptions = map[string]struct {
	key, form string
	least     float64
}{
	"disposition.delayFactor":                  {"politeness.delay_factor", "%s", 5},
	"disposition.minDelayMs":                   {"politeness.min_delay", "%sms", 2000},
	"disposition.maxDelayMs":                   {"politeness.max_delay", "%sms", 30_000},
	"disposition.respectCrawlDelayUpToSeconds": {"politeness.crawl_delay_max", "%ss", 300},
	"fetchHttp.maxLengthBytes":                 {"fetch.max_body", "%sB", 0},
	"fetchHttp.timeoutSeconds":                 {"fetch.timeout", "%ss", 0},
	"crawlController.maxToeThreads":            {"fetch.workers", "%s", 0},
	"crawlLimiter.maxBytesDownload":            {"limits.bytes", "%sB", 0},
	"crawlLimiter.maxDocumentsDownload":        {"limits.pages", "%s", 0},
	"crawlLimiter.maxTimeSeconds":              {"limits.time", "%ss", 0},
	"crawlLimitEnforcer.maxBytesDownload":      {"limits.bytes", "%sB", 0},
	"crawlLimitEnforcer.maxDocumentsDownload":  {"limits.pages", "%s", 0},
	"crawlLimitEnforcer.maxTimeSeconds":        {"limits.time", "%ss", 0},
	"frontier.retryDelaySeconds":               {"politeness.retry.delay", "%ss", 60},
	"warcWriter.maxFileSizeBytes":              {"archive.warc_size", "%sB", 0},
}

// beanQuiet are beans and properties whose work is done always, or which only concern that program.
var beanQuiet = []string{
	"metadata.jobName", "metadata.description", "metadata.audience", "bdb.dir",
	"crawlController.pauseAtStart",
	"warcWriter.compress", "fetchHttp.acceptNonDnsResolves", "metadata.robotsPolicyName", "seeds.textSource",
	"scope.rules", "candidateProcessors.processors", "fetchProcessors.processors", "warcWriter.prefix",
	"dispositionProcessors.processors", "metadata.operator", "metadata.operatorContactUrl",
	"metadata.operatorFrom", "metadata.organization", "metadata.userAgentTemplate", "frontier.maxRetries",
	"seeds.textSource.value", "seeds.textSource.path", "seeds.sourceTagSeeds",
}

func (r *reader) beans(data []byte) error {
	root, err := parseBeans(data)
	if err != nil {
		return err
	}
	options, seeds := r.beanOptions(root)
	r.operatorOf(options)
	for _, o := range options {
		r.beanOption(o)
	}
	for _, s := range seeds {
		r.beanSeeds(s)
	}
	named := map[string]*element{}
	root.find(func(e *element) {
		if id := e.attr["id"]; e.name == "bean" && id != "" {
			named[id] = e
		}
	})
	root.find(func(e *element) {
		if e.attr["id"] == "scope" || e.class() == "DecideRuleSequence" && e.attr["id"] == "" {
			r.scopeOf(e, named)
		}
		if strings.HasSuffix(e.class(), "Credential") {
			r.note(e.line, e.class(), "%s", noLogin)
		}
		if e.class() == "Sheet" || strings.HasPrefix(e.class(), "SheetFor") ||
			strings.HasSuffix(e.class(), "SheetAssociation") {
			r.note(e.line, e.class(), "sheets have no equal; for hosts there is politeness.hosts, "+
				"and a site has limits")
		}
	})
	r.flush()
	return nil
}

// beanOptions are the properties of named beans, and what overrides them; seeds are the texts that
// hold seeds.
func (r *reader) beanOptions(root *element) (list []option, seeds []option) {
	var over []option
	root.find(func(e *element) {
		if e.name != "bean" {
			return
		}
		if strings.HasSuffix(e.class(), "OverrideConfigurer") {
			over = append(over, overrides(e)...)
			return
		}
		id := e.attr["id"]
		if id == "" || strings.HasSuffix(e.class(), "DecideRule") { // rules are read with their scope
			return
		}
		for _, p := range e.inside {
			if p.name != "property" {
				continue
			}
			path := id + "." + p.attr["name"]
			list = append(list, option{path, p.value(), p.line})
			for _, b := range p.inside { // a text or a file within
				for _, q := range b.inside {
					if b.name == "bean" && q.name == "property" {
						list = append(list, option{path + "." + q.attr["name"], q.value(), textLine(q)})
					}
				}
			}
		}
	})
	list = append(list, over...)
	last := map[string]int{}
	for i, o := range list {
		if strings.HasPrefix(o.path, "seeds.textSource.") {
			seeds = append(seeds, o)
		}
		last[o.path] = i
	}
	if i, overridden := last["seeds.textSource.value"]; overridden {
		seeds = slices.DeleteFunc(seeds, func(o option) bool {
			return strings.HasSuffix(o.path, ".value") && o != list[i]
		})
	}
	kept := list[:0:0]
	for i, o := range list {
		if last[o.path] == i {
			kept = append(kept, o)
		}
	}
	return kept, seeds
}

// textLine is where the text of a property begins.
func textLine(e *element) int {
	for _, x := range e.inside {
		if x.name == "value" {
			return x.line
		}
	}
	return e.line
}

// overrides are the lines "bean.property=value" of a text, and the prop elements, of a bean that
// overrides others.
func overrides(e *element) (list []option) {
	e.find(func(x *element) {
		switch x.name {
		case "value":
			for i, line := range strings.Split(strings.TrimSpace(x.text), "\n") {
				path, value, ok := strings.Cut(strings.TrimSpace(line), "=")
				if ok && !strings.HasPrefix(path, "#") {
					list = append(list, option{strings.TrimSpace(path), strings.TrimSpace(value), x.line + i})
				}
			}
		case "prop":
			list = append(list, option{x.attr["key"], strings.TrimSpace(x.text), x.line})
		}
	})
	return list
}

// operatorOf takes who answers for the crawl, unless it was never filled in.
func (r *reader) operatorOf(options []option) {
	o := &r.Draft.Operator
	for _, x := range options {
		if x.value == "" || strings.Contains(x.value, "see override") {
			continue
		}
		switch x.path {
		case "metadata.operatorContactUrl":
			contact, err := configs.Contact(x.value)
			if err != nil {
				r.note(x.line, x.path, "never filled in")
				continue
			}
			o.Contact = contact
		case "metadata.operatorFrom":
			if contact, err := configs.Contact(x.value); err == nil && o.Contact == "" {
				o.Contact = contact
			}
		case "metadata.operator":
			o.Name = x.value
		case "metadata.organization":
			o.Organization = x.value
		case "metadata.jobName":
			r.Draft.Harvest = Name(x.value)
		}
	}
	o.Name = cmp.Or(o.Name, o.Organization)
}

func (r *reader) beanOption(o option) {
	if o.value == "" || strings.Contains(o.value, "see override") {
		return
	}
	if equal, ok := beanOptions[o.path]; ok {
		n, err := strconv.ParseFloat(o.value, 64)
		switch {
		case err != nil:
			r.note(o.line, o.path, "no number: %s", o.value)
		case n == 0 && equal.least == 0: // no limit there; ours stays
		case n < equal.least:
			r.note(o.line, o.path, "%s is less gentle than the default of %s, which stays", o.value,
				equal.key)
		case equal.form == "%s" && n == float64(int64(n)):
			r.set(equal.key, int64(n))
		case equal.form == "%s":
			r.set(equal.key, n)
		default:
			r.set(equal.key, fmt.Sprintf(equal.form, o.value))
		}
		return
	}
	switch o.path {
	case "frontier.maxRetries":
		if n, err := strconv.Atoi(o.value); err == nil {
			r.set("politeness.retry.attempts", int64(min(max(n+1, 1), 100)))
		}
	case "warcWriter.prefix":
		r.set("archive.prefix", Name(o.value))
	case "fetchHttp.ignoreCookies":
		if o.value == "true" {
			r.set("fetch.cookies", string(configs.CookiesNever))
		}
	case "metadata.robotsPolicyName":
		if o.value != "obey" && o.value != "classic" {
			r.note(o.line, o.path, "%s", robotsNo)
		}
	case "metadata.userAgentTemplate":
		r.note(o.line, o.path, "%s", agentNo)
	default:
		if !slices.Contains(beanQuiet, o.path) && !strings.HasPrefix(o.path, "scope.") {
			r.note(o.line, o.path, "no equal: %s", short(o.value))
		}
	}
}

// short is a value as a note has it.
func short(value string) string {
	value = strings.Join(strings.Fields(value), " ")
	if runes := []rune(value); len(runes) > 60 {
		return string(runes[:60]) + "…"
	}
	return value
}

// beanSeeds reads the seeds of a text or a file.
func (r *reader) beanSeeds(o option) {
	if !strings.HasSuffix(o.path, ".path") {
		r.seeds(r.file, o.value, o.line)
		return
	}
	path, data, err := r.beside(o.value)
	if err != nil {
		r.note(o.line, o.path, "%s could not be read (%v): write its addresses under seeds", o.value, err)
		return
	}
	r.seeds(path, string(data), 1)
}

// scopeOf takes the rules of a scope, in their order: which of ours wins does not depend on it.
// named are the beans that a rule may stand for.
func (r *reader) scopeOf(scope *element, named map[string]*element) {
	rules := scope.property("rules")
	if rules == nil {
		return
	}
	boundary := "list" // what no rule accepts is out
	var said scopeRules
	var depth int64
	for _, list := range rules.inside {
		for _, rule := range list.inside {
			if there := named[rule.attr["bean"]]; rule.name == "ref" && there != nil {
				rule = there
			}
			rejects := rule.property("decision").value() == "REJECT"
			switch rule.class() {
			case "SurtPrefixedDecideRule":
				if p := rule.property("seedsAsSurtPrefixes"); !rejects && (p == nil || p.value() == "true") {
					boundary = "prefix"
				}
				r.surtSource(rule, rejects, &said)
			case "OnHostsDecideRule":
				boundary = "host"
			case "OnDomainsDecideRule":
				boundary = "domain"
			case "TooManyHopsDecideRule":
				depth, _ = strconv.ParseInt(rule.property("maxHops").value(), 10, 64)
			case "PathologicalPathDecideRule":
				r.trap("traps.max_repeated_segments", rule.property("maxRepetitions"))
			case "TooManyPathSegmentsDecideRule":
				r.trap("traps.max_path_depth", rule.property("maxPathDepth"))
			case "MatchesRegexDecideRule", "MatchesListRegexDecideRule":
				r.regexes(rule, rejects, &said)
			case "RejectDecideRule", "PrerequisiteAcceptDecideRule", "SchemeNotInSetDecideRule",
				"TransclusionDecideRule":
			default:
				r.note(rule.line, rule.class(), "no equal")
			}
		}
	}
	r.apply(boundary, depth, said)
}

// apply gives all seeds the scope.
func (r *reader) apply(boundary string, depth int64, said scopeRules) {
	r.widen(said.include)
	for i := range r.started {
		s := &r.started[i]
		if boundary != "prefix" {
			s.Settings = []configs.Setting{{Key: "boundary", Value: boundary}}
			s.Settings = add(s.Settings, "include", said.include)
		}
		s.Settings = add(s.Settings, "exclude", said.exclude)
		if depth > 0 {
			s.Settings = append(s.Settings, configs.Setting{Key: "limits.depth", Value: depth})
		}
	}
}

func (r *reader) trap(key string, p *element) {
	if n, err := strconv.ParseInt(p.value(), 10, 64); err == nil {
		r.set(key, n)
	}
}

// surtSource takes the rules of the text or file that a rule names.
func (r *reader) surtSource(rule *element, rejects bool, into *scopeRules) {
	for _, p := range rule.inside {
		name := p.attr["name"]
		if name != "surtsSource" && name != "surtsSourceFile" {
			continue
		}
		text, path, line := p.value(), "", textLine(p)
		for _, b := range p.inside {
			if v := b.property("value"); v != nil {
				text, line = v.value(), textLine(v)
			}
			path = b.property("path").value()
		}
		if name == "surtsSourceFile" {
			path = text
		}
		file := r.file
		if path != "" {
			found, data, err := r.beside(path)
			if err != nil {
				r.note(p.line, name, "%s could not be read: %v", path, err)
				continue
			}
			text, line, r.file = string(data), 1, found
		}
		for i, word := range lines(text) {
			if word = strings.TrimPrefix(strings.TrimSpace(word), "+"); word != "" && word[0] != '#' {
				into.take(r.rule(line+i, word, "surt:"+word), rejects)
			}
		}
		r.file = file
	}
}

// regexes takes the expressions of a rule, each of the whole address.
func (r *reader) regexes(rule *element, rejects bool, into *scopeRules) {
	take := func(e *element) {
		if v := e.value(); v != "" {
			into.take(r.rule(e.line, rule.class(), whole(v)), rejects)
		}
	}
	if p := rule.property("regex"); p != nil {
		take(p)
	}
	if p := rule.property("regexList"); p != nil {
		for _, l := range p.inside {
			for _, v := range l.inside {
				take(v)
			}
		}
	}
}
