package frontier

import (
	"encoding/binary"

	"watershed/page"
	"watershed/store"
)

// maxRespelled is how often a URL is asked for whose server redirects it to itself: as many
// redirects in a row as browsers follow (the Fetch standard, HTTP-redirect fetch).
const maxRespelled = 20

// respell judges a redirect of a URL to itself: a chain of redirects is followed to its end, and a
// circle is left. A server may redirect the first visit of anybody and answer the second one, so a
// spelling may be asked for again; it is a circle where, since the spelling that would be the next
// was asked for, no other one was asked for the first or second time.
func (l *leased) respell(o *Outcome) Fate {
	asked, next := l.asked+fingerprint(l.as), fingerprint(l.url.As(o.Spelled))
	times, fresh := map[string]int{}, true
	for i := 0; i < len(asked); i += len(next) {
		s := asked[i : i+len(next)]
		times[s]++
		switch {
		case s == next:
			fresh = times[s] == 1
		case times[s] <= 2:
			fresh = true
		}
	}
	if !fresh || len(asked)/len(next) > maxRespelled {
		return Fate{State: store.Failed, Reason: store.Loop}
	}
	return Fate{State: store.Pending}
}

// fingerprint tells a spelling from the others of its URL, in 8 bytes.
func fingerprint(spelled string) string {
	return string(binary.BigEndian.AppendUint64(nil, uint64(page.URL(spelled).Key())))
}
