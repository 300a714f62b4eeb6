package peer

import (
	"cmp"
	"regexp"
	"slices"
	"strings"

	"watershed/configs"
	"watershed/page"
)

// surt matches what is meant as a SURT: "http://(org,example,", "(org,example,)/a", "org,example)/".
var surt = regexp.MustCompile(`^\+?(?:[a-z]+://)?` +
	`(?:\([^\s()]+\)?(?:/\S*)?|[a-z0-9-]+(?:,[a-z0-9-]+)+,?\)?(?:/\S*)?)$`)

// bareHost matches a host without a scheme, with a path perhaps.
var bareHost = regexp.MustCompile(`^[\p{L}\p{N}-]+(?:\.[\p{L}\p{N}-]+)+(?::\d+)?(?:/\S*)?$`)

// isSeeds reports a text of which every line is a seed, a SURT or a comment, and one is no comment.
func isSeeds(data []byte) bool {
	found := false
	for _, line := range lines(string(data)) {
		line = strings.TrimSpace(line)
		if line == "" || line[0] == '#' || line[0] == ';' {
			continue
		}
		word, _, _ := strings.Cut(line, " ")
		word = strings.Trim(strings.TrimPrefix(strings.TrimPrefix(word, "+"), "-"), `"'`)
		if !strings.Contains(word, "://") && !surt.MatchString(word) && !bareHost.MatchString(word) {
			return false
		}
		found = true
	}
	return found
}

// seeds reads a seeds file of Heritrix or a list of SURTs whose first line has the given number. An
// address is a seed. A host without a path and slash also stands for the hosts below it, as its
// SURT does. "+" begins a line that only widens the scope. A list of SURTs alone has the addresses
// that they begin with as seeds.
func (r *reader) seeds(path, text string, first int) {
	defer func(file string) { r.file = file }(r.file)
	r.file = path
	type prefix struct {
		line       int
		rule, seed string
	}
	var prefixes []prefix
	before := len(r.started)
	for i, line := range lines(text) {
		line, n := strings.TrimSpace(line), first+i
		if line == "" || line[0] == '#' || line[0] == ';' {
			continue
		}
		word, rest, _ := strings.Cut(line, " ")
		if rest = strings.TrimSpace(rest); rest != "" && rest[0] != '#' {
			r.note(n, word, "what follows it is left out: %s", rest)
		}
		widens := strings.HasPrefix(word, "+")
		word = strings.Trim(strings.TrimPrefix(word, "+"), `"'`)
		switch {
		case strings.HasPrefix(word, "-"):
			r.note(n, word, "a line that begins with - is no seed; to leave it out write it under exclude")
		case surt.MatchString(word) && strings.ContainsAny(word, "(,"):
			if rule := r.rule(n, word, "surt:"+word); rule != "" {
				prefixes = append(prefixes, prefix{n, rule, unfolded(word)})
			}
		case widens:
			if rule := r.rule(n, word, implied(word)); rule != "" {
				prefixes = append(prefixes, prefix{n, rule, ""})
			}
		default:
			r.begin(n, withScheme(word), below(word)...)
		}
	}
	alone := before == len(r.started)
	var rules []string
	for _, p := range prefixes {
		if !alone || p.seed == "" {
			rules = append(rules, p.rule)
			continue
		}
		r.note(p.line, p.rule, "a SURT is no seed; the harvest begins at %s", p.seed)
		r.begin(p.line, p.seed, configs.Setting{Key: "boundary", Value: "list"},
			configs.Setting{Key: "include", Value: []string{p.rule}})
	}
	r.widen(rules)
}

// widen adds rules to all seeds: what one of a file's lines lets in is in for each of its seeds.
func (r *reader) widen(rules []string) {
	r.spread += len(rules) * len(r.started)
	if len(rules) == 0 || r.spread > maxSpread {
		return
	}
	for i := range r.started {
		s := &r.started[i]
		at := slices.IndexFunc(s.Settings, func(x configs.Setting) bool { return x.Key == "include" })
		if at < 0 {
			s.Settings = append(s.Settings, configs.Setting{Key: "include", Value: rules})
			continue
		}
		list, _ := s.Settings[at].Value.([]string)
		s.Settings[at].Value = append(slices.Clone(list), rules...)
	}
}

// withScheme is an address as a browser takes it: Heritrix takes a bare host for http.
func withScheme(word string) string {
	if strings.Contains(word, "://") {
		return word
	}
	return "http://" + word
}

// below are the settings of a seed: all below its directory, and for a host alone what is below it.
func below(word string) []configs.Setting {
	list := []configs.Setting{{Key: "boundary", Value: "prefix"}}
	_, host, _ := strings.Cut(withScheme(word), "://")
	if u, err := page.ParseURL(withScheme(word)); err == nil && !strings.ContainsAny(host, "/?#") {
		if _, is := u.Host().Address(); !is {
			list = append(list, configs.Setting{Key: "include", Value: []string{"domain:" + u.Host().Name()}})
		}
	}
	return list
}

// implied is the rule that an address behind a "+" stands for.
func implied(word string) string {
	_, host, _ := strings.Cut(withScheme(word), "://")
	if !strings.ContainsAny(host, "/?#") {
		return "domain:" + host
	}
	return "prefix:" + host[:strings.LastIndex(host, "/")+1]
}

// unfolded is the address that a SURT begins with, "" where it names no host.
func unfolded(surt string) string {
	scheme, form, ok := strings.Cut(surt, "://")
	if !ok {
		scheme, form = "http", surt
	}
	host, path, _ := strings.Cut(strings.TrimPrefix(form, "("), ")")
	labels := strings.Split(strings.Trim(host, ","), ",")
	if len(labels) < 2 {
		return "" // a whole top-level domain has no page to begin with
	}
	slices.Reverse(labels)
	return scheme + "://" + strings.Join(labels, ".") + cmp.Or(path, "/")
}
