package page

import (
	"fmt"
	"net/netip"
	"regexp"
	"strings"
	"unicode/utf8"
)

// RuleKind says which part of a URL a Rule compares.
type RuleKind uint8

const (
	RuleURL    RuleKind = 1 + iota // one address, whole
	RulePrefix                     // all addresses that begin so
	RuleHost                       // a host, "*" standing for any run of characters
	RuleDomain                     // a host name and all names under it
	RuleSURT                       // all addresses whose sort-friendly form begins so
	RuleRegex                      // all addresses in which the expression is found
	ruleKinds
)

var ruleKindNames = [ruleKinds]string{"?", "url", "prefix", "host", "domain", "surt", "regex"}

func (k RuleKind) String() string {
	if k == 0 || k >= ruleKinds {
		return fmt.Sprintf("RuleKind(%d)", uint8(k))
	}
	return ruleKindNames[k]
}

// RuleKindNames are the words a rule may begin with, in the order of the constants.
func RuleKindNames() []string { return append([]string(nil), ruleKindNames[1:]...) }

// Rule tells addresses apart that an archivist wants in or out. It is written as a kind, a colon
// and a value:
//
//	url:http://example.org/a        that address
//	prefix:http://example.org/a/    every address that begins so
//	prefix:example.org/a/           the same, by http and by https (url: too may go without a scheme)
//	host:www.example.org            that host at any port; with a port, at that one
//	host:*.example.org              every host under it, not itself; "*" stands for any run of characters
//	domain:example.org              that host and every host under it
//	surt:http://(org,example,       a SURT prefix of Heritrix and brozzler: example.org and every
//	                                host under it
//	surt:http://(org,example,)/a    that host alone, paths that begin with /a; the scheme of a
//	                                SURT is not compared
//	surt:org,example)/a             the same as a CDX key: lower case, no leading "www.", arguments sorted
//	regex:/print/\d+$               the expression (RE2, linear time) is found anywhere in the address
//
// It is made by ParseRule and nothing else; it never changes, so any number of goroutines may use
// it. Sources: Heritrix 3, SurtPrefixSet (https counts as http; a comma at the end covers the hosts
// below); Internet Archive, surt (CDX keys).
type Rule struct {
	Kind  RuleKind
	Value string // canonical; a regular expression as given

	expr *regexp.Regexp
}

// Names gives the address that a rule names as one to be fetched: that of a url rule, and of a
// prefix rule whose prefix is a place, which ends with a slash. ok is false for all other rules,
// which only say something of addresses that are found.
func (r Rule) Names() (u URL, ok bool) {
	if r.Kind != RuleURL && (r.Kind != RulePrefix || !strings.HasSuffix(r.Value, "/")) {
		return "", false
	}
	u, err := ParseURL(r.Value)
	return u, err == nil
}

// RuleError says why a text is no rule.
type RuleError struct {
	Text   string // at most the first 200 bytes of what was given
	Reason string
}

func (e *RuleError) Error() string { return fmt.Sprintf("rule %q: %s", e.Text, e.Reason) }

// maxRule bounds the text of a rule, in bytes: an expression has to stay quick to compile.
const maxRule = 4 << 10

// ParseRule reads a rule. The error is a *RuleError.
func ParseRule(text string) (Rule, error) {
	text = strings.TrimSpace(text)
	refuse := func(reason string) (Rule, error) {
		return Rule{}, &RuleError{Text: text[:min(len(text), 200)], Reason: reason}
	}
	if len(text) > maxRule || !utf8.ValidString(text) {
		return refuse("longer than 4 KiB, or not UTF-8")
	}
	word, value, ok := strings.Cut(text, ":")
	kind := ruleKind(word)
	switch {
	case !ok || kind == 0:
		return refuse("begins with none of url:, prefix:, host:, domain:, surt:, regex:")
	case strings.TrimSpace(value) == "":
		return refuse("nothing follows " + word + ":")
	}
	r := Rule{Kind: kind}
	var reason string
	switch value = strings.TrimSpace(value); kind {
	case RuleURL, RulePrefix:
		r.Value, reason = addressValue(value)
	case RuleHost:
		r.Value, reason = hostValue(value)
	case RuleDomain:
		if r.Value, reason = hostValue(strings.TrimPrefix(value, ".")); strings.ContainsAny(r.Value, "*:") &&
			reason == "" {
			reason = "a domain has neither a port nor a \"*\""
		}
	case RuleSURT:
		r.Value, reason = surtValue(value)
	case RuleRegex:
		var err error
		if r.expr, err = regexp.Compile(value); err != nil {
			reason = strings.TrimPrefix(err.Error(), "error parsing regexp: ")
		}
		r.Value = value
	}
	if reason == "" && len(r.String()) > maxRule {
		reason = "longer than 4 KiB once it is canonical"
	}
	if reason != "" {
		return refuse(reason)
	}
	return r, nil
}

func ruleKind(word string) RuleKind {
	for k, name := range ruleKindNames {
		if k > 0 && name == word {
			return RuleKind(k)
		}
	}
	return 0
}

// String is the rule as ParseRule reads it.
func (r Rule) String() string {
	if r.Kind == 0 {
		return ""
	}
	return r.Kind.String() + ":" + r.Value
}

// MarshalText writes the rule as String does.
func (r Rule) MarshalText() ([]byte, error) { return []byte(r.String()), nil }

// UnmarshalText reads what MarshalText wrote, the zero Rule for nothing. The error is that of
// ParseRule.
func (r *Rule) UnmarshalText(text []byte) (err error) {
	*r = Rule{}
	if len(text) > 0 {
		*r, err = ParseRule(string(text))
	}
	return err
}

// Equal reports whether two rules are about the same addresses by their texts.
func (r Rule) Equal(other Rule) bool { return r.Kind == other.Kind && r.Value == other.Value }

// Match reports whether the rule is about u. The zero Rule is about nothing. The cost is that of
// one comparison, for surt that of building the form, for regex linear in the length of u.
func (r Rule) Match(u URL) bool {
	switch r.Kind {
	case RuleURL:
		return string(u) == r.Value || u.afterScheme() == r.Value
	case RulePrefix:
		return strings.HasPrefix(string(u), r.Value) || strings.HasPrefix(u.afterScheme(), r.Value)
	case RuleHost:
		return HostPattern(r.Value).Match(u.Host())
	case RuleDomain:
		return inDomain(u.Host().Name(), r.Value)
	case RuleSURT:
		if surtKey(r.Value) {
			return strings.HasPrefix(u.SURT(), r.Value)
		}
		return strings.HasPrefix(u.surtForm(), r.Value)
	case RuleRegex:
		return r.expr != nil && r.expr.MatchString(string(u))
	}
	return false
}

// Covers reports that r is about every address that another rule is about, as far as their texts
// tell.
func (r Rule) Covers(other Rule) bool {
	if r.Equal(other) {
		return r.Kind != 0
	}
	switch host := Host(other.Value); other.Kind {
	case RuleURL, RulePrefix:
		// of these, what matches an address matches all that begin so
		if other.Kind == RulePrefix && (r.Kind == RuleURL || r.Kind == RuleRegex ||
			r.Kind == RuleSURT && surtKey(r.Value)) {
			return false
		}
		if strings.Contains(other.Value, "://") {
			return r.Match(URL(other.Value))
		}
		return r.Match(URL("http://"+other.Value)) && r.Match(URL("https://"+other.Value))
	case RuleHost:
		return r.Kind == RuleDomain && inDomain(host.Name(), r.Value) ||
			r.Kind == RuleHost && Host(r.Value).Port() == "" && HostPattern(r.Value).Match(host)
	case RuleDomain:
		return r.Kind == RuleDomain && inDomain(other.Value, r.Value)
	}
	return false
}

// inDomain reports whether name is domain or a name under it.
func inDomain(name, domain string) bool {
	if !strings.HasSuffix(name, domain) {
		return false
	}
	rest := name[:len(name)-len(domain)]
	return rest == "" || rest[len(rest)-1] == '.'
}

// addressValue makes the value of url: and prefix: canonical; without a scheme it stays without.
func addressValue(text string) (value, reason string) {
	scheme, _, has := strings.Cut(text, "://")
	bare := !has || strings.ContainsAny(scheme, `/\?#`) // within a path or a query it is of another URL
	full := text
	if bare && strings.HasPrefix(text, "/") {
		return "", "no host: it begins with \"/\""
	}
	if bare {
		full = "http://" + text
	}
	u, err := ParseURL(full)
	if err != nil {
		return "", urlReason(err)
	}
	if bare {
		return u.afterScheme(), ""
	}
	return string(u), ""
}

func urlReason(err error) string {
	if e, ok := err.(*URLError); ok {
		return e.Reason
	}
	return err.Error()
}

// hostValue makes a host with wild cards and port canonical.
func hostValue(text string) (value, reason string) {
	p, err := ParseHostPattern(text)
	if err != nil {
		return "", err.(*RuleError).Reason
	}
	return string(p), ""
}

// surtValue makes a SURT prefix canonical: "(org,example,)/a" in Heritrix' form without its scheme,
// or "org,example)/a" as a CDX key. A list of host labels without a parenthesis that ends in a
// comma is Heritrix' form too.
func surtValue(text string) (value, reason string) {
	form := text
	if before, after, ok := strings.Cut(text, "://"); ok && !strings.ContainsAny(before, "(),") {
		if scheme := strings.ToLower(before); scheme != "http" && scheme != "https" {
			return "", "scheme is " + scheme + ", not http or https"
		}
		form = after
		if !strings.HasPrefix(form, "(") {
			return "", "no \"(\" after the scheme; an address as it stands in a browser is a prefix: rule"
		}
	}
	if strings.ContainsAny(form, " \t") || !ascii(form) {
		return "", "a SURT is ASCII without spaces: xn-- labels and % escapes"
	}
	if !strings.HasPrefix(form, "(") && !strings.Contains(form, ")") && strings.HasSuffix(form, ",") {
		form = "(" + form
	}
	inside, rest, closed := strings.Cut(strings.TrimPrefix(form, "("), ")")
	switch {
	case inside == "":
		return "", "no host"
	case !strings.Contains(inside, ",") && strings.Contains(inside, ".") && !isAddress(inside):
		return "", "the host is not reversed: example.org is org,example"
	case closed && rest != "" && rest[0] != '/':
		return "", "\"/\" must follow \")\""
	}
	inside = strings.ToLower(inside)
	if strings.HasPrefix(form, "(") {
		if closed {
			return "(" + inside + ")" + rest, ""
		}
		return "(" + inside, ""
	}
	if closed {
		return inside + ")" + strings.ToLower(rest), ""
	}
	return inside, ""
}

func isAddress(s string) bool {
	_, err := netip.ParseAddr(strings.Trim(s, "[]"))
	return err == nil
}

// surtKey reports a SURT rule's value that is the beginning of a CDX key and not of Heritrix' form.
func surtKey(value string) bool { return !strings.HasPrefix(value, "(") }

// surtForm is the URL in Heritrix' sort-friendly form without its scheme:
// "(org,example,www,:8080)/Path?query". Unlike the key of SURT it loses nothing: "www." and the
// case of the path stay.
func (u URL) surtForm() string {
	h := u.Host()
	var b strings.Builder
	b.Grow(len(u) + 4)
	b.WriteByte('(')
	if a, ok := h.Address(); ok {
		if a.Is6() {
			b.WriteString("[" + h.Name() + "]")
		} else {
			b.WriteString(h.Name())
		}
	} else {
		for name := h.Name(); name != ""; {
			i := strings.LastIndexByte(name, '.')
			b.WriteString(name[i+1:])
			b.WriteByte(',')
			name = name[:max(i, 0)]
		}
	}
	if port := h.Port(); port != "" {
		b.WriteString(":" + port)
	}
	b.WriteByte(')')
	b.WriteString(u.PathQuery())
	return b.String()
}
