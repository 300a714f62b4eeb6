package mirror

import (
	"bytes"
	"iter"
	"net/netip"
)

// Input is what is known of hosts. Each sequence may be gone through more than once, and ends at
// its first error. Nil means that nothing of the kind is known, which is not the same as a sequence
// without elements: the fused ranking does not hold what was never looked up against a pair. Byte
// slices are valid until the next element.
type Input struct {
	// URLs are absolute, http or https, each once; those of one host follow each other. Sorted by
	// path within a host they are read fastest.
	URLs iter.Seq2[[]byte, error]
	// Links are the links of the pages that were read, in any order; each is good until the next one.
	Links iter.Seq2[Link, error]
	// Addresses are those of the hosts, as many as the name server gives.
	Addresses iter.Seq2[Address, error]
	// Pages are all pages whose content is known, with the cluster of alike pages that each is in.
	Pages iter.Seq2[Page, error]
	// Collections are replicated collections: the places that hold copies of one.
	Collections iter.Seq2[Place, error]
	// Declared is what hosts, name servers, certificates and people say.
	Declared iter.Seq2[Declaration, error]
}

// Link is a link between two pages, both absolute URLs.
type Link struct{ From, To []byte }

// Address is an address of a host.
type Address struct {
	Host string
	IP   netip.Addr
}

// Page is a page whose content is known. Pages of one cluster are alike; cluster 0 means like no
// other page. Least, where it is known, tells besides how alike pages are that lie at equal paths.
type Page struct {
	URL     []byte
	Cluster uint64
	Least   Least
}

// Place is where a copy of a replicated collection lies: a directory of a host, and how many of its
// pages belong.
type Place struct {
	Collection string
	Host       string
	Pages      int
}

// Kind is a kind of declaration.
type Kind uint8

// The kinds of declarations. Of the first five, the target is a host; of the others it is a key,
// and hosts of equal keys are taken for declared.
const (
	Alias       Kind = iota // somebody's list of aliases
	Redirect                // the host answers 301 or 308 with the same path on the target
	Canonical               // pages name the same path on the target as canonical
	Hreflang                // pages name the same path on the target as their translation
	Sitemap                 // its site map, or its robots.txt, names pages or the site map of the target
	CNAME                   // the name server's canonical name
	Certificate             // the names of the certificate
	Robots                  // the digest of robots.txt
	kinds
)

var kindNames = [kinds]string{
	"alias", "redirect", "canonical", "hreflang", "sitemap", "cname",
	"certificate", "robots",
}

func (k Kind) String() string { return kindNames[min(k, kinds-1)] }

// keyed says that the target is a key instead of a host.
func (k Kind) keyed() bool { return k >= CNAME }

// Declaration is what a host declares. Pages is how many of its pages say so; 0 means that the host
// as a whole does.
type Declaration struct {
	Kind   Kind
	Host   string
	Target string
	Pages  int
}

// SplitURL gives the host, with its port if any, and the path with the query. It is false for what
// is no absolute http or https URL. A URL without a path has the path "/".
func SplitURL(url []byte) (host, path []byte, ok bool) {
	rest, ok := bytes.CutPrefix(url, []byte("http"))
	if !ok {
		return nil, nil, false
	}
	rest = bytes.TrimPrefix(rest, []byte("s"))
	if rest, ok = bytes.CutPrefix(rest, []byte("://")); !ok {
		return nil, nil, false
	}
	end := bytes.IndexAny(rest, "/?")
	switch {
	case end < 0:
		return rest, []byte("/"), len(rest) > 0
	case end == 0:
		return nil, nil, false
	}
	return rest[:end], rest[end:], true
}
