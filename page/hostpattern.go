package page

import (
	"path"
	"strconv"
	"strings"
)

// HostPattern names hosts, for example "www.example.org", "*.example.org" or "example.org:8080". A
// "*" stands for any run of characters, dots too, and for none; so "*.example.org" has the hosts
// under example.org and not itself. Without a port it is about every port. It is made by
// ParseHostPattern.
type HostPattern string

// ParseHostPattern makes the canonical form: lower case, ASCII, no final dot. The error is a
// *RuleError.
func ParseHostPattern(text string) (HostPattern, error) {
	refuse := func(reason string) (HostPattern, error) {
		return "", &RuleError{Text: text[:min(len(text), 200)], Reason: reason}
	}
	text = strings.TrimSpace(text)
	if strings.ContainsAny(text, "/?#@ ") {
		return refuse("a host is written without scheme and path")
	}
	name, port := text, ""
	if i := strings.LastIndexByte(text, ':'); i >= 0 && !strings.HasSuffix(text, "]") && !isAddress(text) {
		name, port = text[:i], text[i:]
		if n, err := strconv.ParseUint(text[i+1:], 10, 16); err != nil || n == 0 {
			return refuse("the port is no number from 1 to 65535")
		}
	}
	if isAddress(name) && strings.Contains(name, ":") {
		name = "[" + strings.Trim(name, "[]") + "]"
	}
	// The port goes around the parser: it drops a scheme's own one, which here has a meaning.
	name, reason := hostName(name)
	if reason != "" {
		return refuse(reason)
	}
	return HostPattern(name + port), nil
}

// hostName makes a host's name canonical. Labels with a "*" stay as they are, and what is left is
// parsed without them: the parser takes no "*" beside other than ASCII.
func hostName(name string) (canonical, reason string) {
	labels := strings.Split(strings.TrimSuffix(strings.ToLower(name), "."), ".")
	var wild []int
	plain := make([]string, len(labels))
	for i, l := range labels {
		if plain[i] = l; strings.Contains(l, "*") {
			wild = append(wild, i)
			plain[i] = strings.ReplaceAll(l, "*", "x")
		}
	}
	u, err := ParseURL("http://" + strings.Join(plain, ".") + "/")
	if err != nil {
		return "", urlReason(err)
	}
	if len(wild) == 0 {
		return string(u.Host()), ""
	}
	parsed := strings.Split(string(u.Host()), ".")
	if len(parsed) != len(labels) {
		return "", "not a valid host"
	}
	for _, i := range wild {
		if !ascii(labels[i]) {
			return "", "a \"*\" in a label of other letters than ASCII"
		}
		parsed[i] = labels[i]
	}
	return strings.Join(parsed, "."), ""
}

// Match reports whether h is one of the hosts named.
func (p HostPattern) Match(h Host) bool {
	if Host(p).Port() == "" {
		return glob(Host(p).Name(), h.Name())
	}
	port := h.Port()
	if port != "" {
		return glob(string(p), string(h))
	}
	// A host of no port is at its scheme's own, which the name alone does not tell: both count.
	name := Host(p).Name()
	return (Host(p).Port() == "80" || Host(p).Port() == "443") && glob(name, h.Name())
}

// glob reports whether text is pattern with each "*" replaced by some run of characters. Hosts have
// no slash, and path.Match sees no more in a pattern than that.
func glob(pattern, text string) bool {
	is, _ := path.Match(literal.Replace(pattern), text) // it is never malformed
	return is
}

var literal = strings.NewReplacer(`\`, `\\`, "[", `\[`)
