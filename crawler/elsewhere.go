package crawler

import (
	"bytes"
	"time"

	"watershed/crawler/robots"
	"watershed/page"
)

// elsewhere has the answers of URLs on other hosts, with another path than /robots.txt, to which a
// robots.txt redirects. A host that has moved, for example, redirects all its URLs to the new
// host's entry page. Each such URL is fetched as any URL of its host, once for all that redirect to
// it, by the worker that leases it. The commit lock guards it.
type elsewhere map[page.URL]*foreign // nil while it is awaited

// foreign is an answer that was had elsewhere.
type foreign struct {
	*page.Exchange

	until time.Time // then it is asked for again
}

// known reports that a URL's answer is here and holds; one that does no longer is let go.
func (e elsewhere) known(u page.URL, now time.Time) bool {
	x := e[u]
	if x != nil && !now.Before(x.until) {
		delete(e, u)
		return false
	}
	return x != nil
}

// maxElsewhere bounds the answers that are kept, each of robots.MaxBytes at most. An answer that
// was let go is asked for again.
const maxElsewhere = 64

// await notes that the answer of a URL is awaited, unless it is known or awaited already.
func (e elsewhere) await(u page.URL) {
	if _, known := e[u]; known {
		return
	}
	if len(e) >= maxElsewhere {
		for old, x := range e {
			if x != nil {
				delete(e, old)
				break
			}
		}
	}
	e[u] = nil
}

// answer keeps an exchange from which a robots.txt is read until it is out of date.
func (e elsewhere) answer(x *page.Exchange, until time.Time) {
	body := x.Body
	body.Bytes = bytes.Clone(body.Bytes[:min(len(body.Bytes), robots.MaxBytes)])
	e[x.URL] = &foreign{&page.Exchange{
		URL: x.URL, Method: x.Method, Status: x.Status, Header: x.Header,
		Truncated: x.Truncated, Body: body, Err: x.Err,
	}, until}
}

// circular reports that the robots.txt of an origin waits for itself, by way of others that
// redirect. The caller holds the commit lock.
func (p *permits) circular(origin string, next page.URL) bool {
	for range maxElsewhere {
		at := robots.Origin(next)
		if at == origin {
			return true
		}
		f := p.robots[at]
		if f == nil {
			return false
		}
		to, more := f.URL()
		if !more || robots.Origin(to) == at {
			return false
		}
		next = to
	}
	return true
}

// awaits reports that a URL's answer is awaited.
func (p *permits) awaits(u page.URL) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	x, known := p.elsewhere[u]
	return known && x == nil
}

// heard is elsewhere.answer under the commit lock.
func (p *permits) heard(x *page.Exchange) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.elsewhere.answer(x, time.Now().Add(p.Robots.Holds(x.Status)))
}
