package peer

import (
	"errors"
	"fmt"
	"net/netip"
	"slices"
	"strings"

	"watershed/configs"
	"watershed/page"
)

// Addresses makes a draft of web addresses: those of one host are seeds of one site. It gives them
// canonical, each once.
func Addresses(texts []string) (d configs.Draft, seeds []page.URL, err error) {
	at := map[page.Host]int{}
	for _, text := range texts {
		u, err := address(text)
		if err != nil {
			return d, nil, err
		}
		if slices.Contains(seeds, u) {
			continue
		}
		seeds = append(seeds, u)
		i, known := at[u.Host()]
		if !known {
			i = len(d.Sites)
			at[u.Host()] = i
			d.Sites = append(d.Sites,
				configs.DraftSite{Name: strings.TrimRight(string(u.Host())+u.PathQuery(), "/")})
		}
		d.Sites[i].Seeds = append(d.Sites[i].Seeds, text)
	}
	if len(seeds) == 0 {
		return d, nil, errNoSeeds
	}
	d.Harvest = Name(d.Sites[0].Name)
	return d, seeds, nil
}

var errUser = errors.New("an address with a user name or password cannot be harvested: " +
	"the archive would show them")

// address is a text as a URL that can be harvested.
func address(text string) (page.URL, error) {
	if page.HasUser(text) {
		return "", errUser
	}
	u, err := page.ParseURL(text)
	if err != nil {
		return "", fmt.Errorf("%s is no web address: %w; it begins with https:// or http:// and a host, "+
			"as in https://www.example.org/", text, err)
	}
	return u, nil
}

// Private reports an address of a machine that is not public, and the network that has to be allowed
// for it.
func Private(u page.URL) (network netip.Prefix, is bool) {
	a, numeric := u.Host().Address()
	switch {
	case u.Host().Name() == "localhost", numeric && a.Is4() && a.IsLoopback():
		return netip.MustParsePrefix("127.0.0.0/8"), true
	case numeric && (a.IsLoopback() || a.IsPrivate() || a.IsLinkLocalUnicast()):
		return netip.PrefixFrom(a, a.BitLen()), true
	}
	return network, false
}

// maxPasted bounds the addresses of a text that a person pastes; more are a list in a file.
const maxPasted = 5000

// Pasted makes a draft of what a person pastes: web addresses or bare hosts, a line or a word each,
// or the configuration of another crawler. Of the latter no other file is read. The error is that
// of Read, or names the line that is no address.
func Pasted(text string) (*Import, error) {
	if p := Sniff([]byte(text)); p != "" && p != Seeds {
		return Read("pasted", []byte(text), nil)
	}
	var words []string
	for i, line := range lines(text) {
		line = strings.TrimSpace(line)
		if line == "" || line[0] == '#' {
			continue
		}
		if strings.ContainsAny(line[:1], "+-(") || surt.MatchString(line) && strings.Contains(line, ",") {
			return Read("pasted", []byte(text), nil)
		}
		for word := range strings.FieldsFuncSeq(line, betweenWords) {
			if bareHost.MatchString(word) {
				word = "https://" + word
			}
			_, err := address(word)
			if errors.Is(err, errUser) {
				return nil, fmt.Errorf("line %d: %w", i+1, err)
			}
			if err != nil || !strings.Contains(word, "://") {
				return nil, fmt.Errorf("line %d: %q is no web address; write one a line, as in "+
					"https://www.example.org/ or www.example.org", i+1, short(word))
			}
			if words = append(words, word); len(words) > maxPasted {
				return nil, fmt.Errorf("more than %d addresses: put them into a file sites.txt in the "+
					"folder of the harvests, and write sites: [{list: sites.txt}]", maxPasted)
			}
		}
	}
	d, _, err := Addresses(words)
	return &Import{Draft: d}, err
}

func betweenWords(r rune) bool { return strings.ContainsRune(" \t,;", r) }
