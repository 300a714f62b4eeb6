package configs

import (
	"errors"
	"fmt"
	"net/netip"
	"reflect"
	"strings"

	"watershed/page"
)

// scalar is a type that is written as one text and read by a parser of its own.
type scalar struct {
	want    string // what is to be written, for messages
	pattern string // of the JSON Schema; "" for any text
	example string // of the JSON Schema; "" for none
	parse   func(string) (any, error)
}

// scalars has every type of an option that is neither a plain Go kind nor a word of a closed list.
var scalars = map[reflect.Type]scalar{
	reflect.TypeFor[Duration](): {
		want:    "a time span with its unit, such as 500ms, 2s, 1h30m or 3d",
		pattern: `^(0|([0-9]+(\.[0-9]+)?(ns|us|µs|ms|s|m|h|d|w))+)$`,
		example: "1h30m",
		parse:   func(s string) (any, error) { return ParseDuration(s) },
	},
	reflect.TypeFor[Size](): {
		want:    "a size with its unit, such as 64KiB, 500MB or 20GB",
		pattern: `^[0-9][0-9_]*(\.[0-9]+)? ?(([kKmMgGtT][iI]?)?[bB])?$`,
		example: "20GB",
		parse:   func(s string) (any, error) { return ParseSize(s) },
	},
	reflect.TypeFor[Share](): {
		want:    "a part such as 1% or 0.01",
		pattern: `^[0-9.]+ ?%?$`,
		example: "1%",
		parse:   func(s string) (any, error) { return parseShare(s) },
	},
	reflect.TypeFor[Path](): {
		want:  "the name of a file or folder",
		parse: func(s string) (any, error) { return Path(s), nil },
	},
	reflect.TypeFor[Secret](): {
		want:    "env:NAME or file:PATH, where the secret stands",
		pattern: `^((env|file):.+)?$`,
		example: "file:/etc/watershed/smtp.secret",
		parse:   func(s string) (any, error) { return ParseSecret(s) },
	},
	reflect.TypeFor[Schedule](): {
		want:    "a rule of cron",
		example: "0 3 * * 0",
		parse:   func(s string) (any, error) { return parseSchedule(s) },
	},
	reflect.TypeFor[page.URL](): {
		want:    "a web address that begins with http:// or https://",
		pattern: `^[hH][tT][tT][pP][sS]?://.+`,
		example: "https://www.example.org/",
		parse:   parseURL,
	},
	reflect.TypeFor[page.Rule](): {
		want:    "a rule such as prefix:http://example.org/a/ or host:www.example.org",
		pattern: `^(` + strings.Join(page.RuleKindNames(), "|") + `):.+`,
		example: "host:*.example.org",
		parse:   parseRule,
	},
	reflect.TypeFor[page.HostPattern](): {
		want:    "a host such as www.example.org or *.example.org",
		example: "*.example.org",
		parse:   func(s string) (any, error) { p, err := page.ParseHostPattern(s); return p, reason(err) },
	},
	reflect.TypeFor[netip.Prefix](): {
		want:    "a network such as 127.0.0.0/8 or fd00::/8, or a single address",
		example: "127.0.0.0/8",
		parse:   parseNetwork,
	},
	reflect.TypeFor[netip.Addr](): {
		want:    "an address such as 192.0.2.7 or 2001:db8::7",
		example: "192.0.2.7",
		parse:   func(s string) (any, error) { return either(s, netip.ParseAddr) },
	},
	reflect.TypeFor[netip.AddrPort](): {
		want:    "an address and port such as 192.0.2.53:53",
		example: "192.0.2.53:53",
		parse:   func(s string) (any, error) { return either(s, netip.ParseAddrPort) },
	},
}

// hinted is an error that knows what was meant.
type hinted struct {
	error
	hint string
}

// errUser says that a URL would log in. A crawl does not: it would ask for the page without, and
// archive another one than was meant.
var errUser = hinted{
	errors.New("the address has a user name or a password, and pages are asked for without"),
	"take out what stands before the @",
}

func parseURL(s string) (any, error) {
	if page.HasUser(s) {
		return nil, errUser
	}
	u, err := page.ParseURL(s)
	if err == nil {
		return u, nil
	}
	if !strings.Contains(s, ":") {
		if u, err := page.ParseURL("https://" + s); err == nil {
			return nil, hinted{
				fmt.Errorf("%q is no web address: it has no scheme", s),
				fmt.Sprintf("did you mean %s?", u),
			}
		}
	}
	return nil, reason(err)
}

func parseRule(s string) (any, error) {
	word, rest, ok := strings.Cut(s, ":")
	if (word == "url" || word == "prefix") && page.HasUser(rest) {
		return nil, errUser
	}
	r, err := page.ParseRule(s)
	if err == nil {
		return r, nil
	}
	if !ok || strings.HasPrefix(rest, "//") {
		for _, guess := range []string{"prefix:", "surt:"} {
			// a prefix has no wildcard at its end
			if r, err := page.ParseRule(guess + strings.TrimRight(s, "*")); err == nil &&
				(guess == "surt:") == strings.Contains(s, "(") {
				return nil, hinted{
					fmt.Errorf("rule %q has no kind in front", s),
					fmt.Sprintf("did you mean %s?", r),
				}
			}
		}
	} else if near := nearest(word, page.RuleKindNames()); near != "" && near != word {
		return nil, hinted{
			fmt.Errorf("no kind of rule is %q", word),
			fmt.Sprintf("did you mean %s:%s?", near, rest),
		}
	}
	switch {
	case word == "regex":
		return nil, hinted{err, "expressions are those of RE2: without lookaround and backreferences"}
	case word == "surt" && strings.HasPrefix(rest, "+"):
		return nil, hinted{err, "lines of a Heritrix file are written here without the +"}
	}
	return nil, err
}

// errNetip stands for what package netip says, which is in the words of its own functions.
var errNetip = errors.New("not of this form")

func either[T any](s string, parse func(string) (T, error)) (any, error) {
	v, err := parse(s)
	if err != nil {
		return nil, errNetip
	}
	return v, nil
}

func parseNetwork(s string) (any, error) {
	if !strings.Contains(s, "/") {
		a, err := netip.ParseAddr(s)
		if err != nil {
			return nil, errNetip
		}
		return netip.PrefixFrom(a, a.BitLen()), nil
	}
	p, err := netip.ParsePrefix(s)
	if err != nil {
		return nil, errNetip
	}
	if p != p.Masked() {
		return nil, hinted{
			fmt.Errorf("network %s has bits beyond its length", s),
			fmt.Sprintf("did you mean %s?", p.Masked()),
		}
	}
	return p, nil
}

// reason puts the reason of a typed error in front of what it repeats of the text.
func reason(err error) error {
	switch e := err.(type) {
	case *page.URLError:
		return fmt.Errorf("%q is no web address: %s", e.Text, e.Reason)
	case *page.RuleError:
		return fmt.Errorf("%q is no host: %s", e.Text, e.Reason)
	}
	return err
}

// enum is a text of which only some words are known.
type enum interface{ Values() []string }

// words gives the values of an enum's type, nil for another type.
func words(t reflect.Type) []string {
	if e, ok := reflect.Zero(t).Interface().(enum); ok {
		return e.Values()
	}
	return nil
}
