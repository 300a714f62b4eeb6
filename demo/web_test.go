package demo

import (
	"bytes"
	"fmt"
	"maps"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/text/encoding/htmlindex"

	"watershed/page"
)

// bodies are the bytes of all documents.
func bodies(w *Web) map[page.URL]string {
	out := map[page.URL]string{}
	for u, d := range w.docs {
		out[u] = fmt.Sprint(d.status, d.mime, string(d.body))
	}
	return out
}

func TestEqualOptionsGiveEqualBytes(t *testing.T) {
	for _, o := range []Options{{}, {Seed: 3}, {Epoch: 4}, {Seed: 3, Epoch: 4}} {
		if diff := cmp.Diff(bodies(New(o)), bodies(New(o))); diff != "" {
			t.Errorf("%+v: %s", o, diff)
		}
	}
	if maps.Equal(bodies(New(Options{})), bodies(New(Options{Seed: 1}))) {
		t.Error("another seed makes the same web")
	}
	if !maps.Equal(bodies(New(Options{})), bodies(New(Options{Epoch: -1}))) {
		t.Error("a negative epoch is not 0")
	}
}

// Every document has a URL of its own, canonical, on a host that is served; every link to a
// document finds it.
func TestDocuments(t *testing.T) {
	for seed := range 5 {
		b := build(Options{Seed: seed, Epoch: seed})
		hosts, seen := map[page.Host]bool{}, map[page.URL]*document{}
		for _, h := range b.hosts {
			if hosts[h.name] {
				t.Errorf("two hosts %s", h.name)
			}
			hosts[h.name] = true
		}
		for _, d := range b.docs {
			if u, err := page.ParseURL(string(d.url)); err != nil || u != d.url {
				t.Errorf("%q is not canonical: %q, %v", d.url, u, err)
			}
			if seen[d.url] != nil {
				t.Errorf("two documents at %s", d.url)
			}
			if seen[d.url] = d; !hosts[d.url.Host()] {
				t.Errorf("no host for %s", d.url)
			}
		}
		for _, d := range b.docs {
			for _, l := range d.links {
				if l.to != nil && l.to.form != moved && seen[l.to.url] == nil {
					t.Errorf("%s links to %s, which is nowhere", d.url, l.to.url)
				}
			}
		}
	}
}

func TestReference(t *testing.T) {
	for _, x := range []struct{ from, to, want string }{
		{"http://a.example/", "http://a.example/x/y.html", "x/y.html"},
		{"http://a.example/x/y.html", "http://a.example/x/z.html", "z.html"},
		{"http://a.example/x/y.html", "http://a.example/x/", "./"},
		{"http://a.example/x/y.html", "http://a.example/", "../"},
		{"http://a.example/x/y/z", "http://a.example/x/w/v", "../w/v"},
		{"http://a.example/x/y", "http://a.example/x/?q=1", "./?q=1"},
		{"http://a.example/x/y", "http://b.example/x/", "http://b.example/x/"},
	} {
		from, to := page.URL(x.from), page.URL(x.to)
		got := reference(from, x.to)
		if u, err := from.Resolve(got); got != x.want || err != nil || u != to {
			t.Errorf("from %s to %s: %q, want %q; it resolves to %s", from, to, got, x.want, u)
		}
	}
}

func TestMirrors(t *testing.T) {
	for _, epoch := range []int{0, 2} {
		w := New(Options{Epoch: epoch})
		for _, m := range w.mirrors() {
			same, other, missing := 0, 0, 0
			for u, d := range w.docs {
				rest, ok := strings.CutPrefix(string(u), string(m.Original))
				if !ok || d.form != htmlPage {
					continue
				}
				switch twin := w.docs[m.Copy+page.URL(rest)]; {
				case twin == nil:
					missing++
				case bytes.Equal(twin.body, d.body) && twin.mime == d.mime:
					same++
				default:
					other++
					if r := resemblance(string(d.body), string(twin.body)); epoch == 0 &&
						(r < 0.3 || r == 1) {
						t.Errorf("%s resembles %s by %.2f", twin.url, d.url, r)
					}
				}
			}
			if m.Identical && (other > 0 || missing > 0 || same < 25) {
				t.Errorf("epoch %d: %s: %d pages are the same, %d differ, %d are missing", epoch, m.Copy,
					same, other, missing)
			}
			if !m.Identical && (other < 20 || missing < 2) {
				t.Errorf("epoch %d: %s: %d pages are the same, %d differ, %d are missing", epoch, m.Copy,
					same, other, missing)
			}
		}
	}
}

// resemblance is that of the sets of four words in a row (Broder 1997).
func resemblance(a, b string) float64 {
	shingles := func(s string) map[string]bool {
		out := map[string]bool{}
		words := strings.Fields(s)
		for i := range len(words) - 3 {
			out[strings.Join(words[i:i+4], " ")] = true
		}
		return out
	}
	x, y := shingles(a), shingles(b)
	both := 0
	for k := range x {
		if y[k] {
			both++
		}
	}
	return float64(both) / float64(len(x)+len(y)-both)
}

// Whatever changed between two epochs has changed validators, and nothing else has; the list of
// changes says all of it.
func TestChanges(t *testing.T) {
	before := New(Options{})
	after := New(Options{Epoch: 1})
	kinds := map[changeKind]int{}
	for _, c := range after.Changes() {
		kinds[c.Kind]++
		was, is := before.docs[c.URL], after.docs[c.URL]
		ok := false
		switch c.Kind {
		case changeEdited:
			ok = was != nil && is.status == 0 && len(is.paras[0]) > len(was.paras[0])
		case changeMoved:
			ok = was != nil && is.status == 301 && is.destination() == c.To && before.docs[c.To] == nil &&
				after.docs[c.To].title == was.title
		case changeGone:
			ok = was != nil && (is.status == 404 || is.status == 410)
		case changeNew:
			ok = was == nil && is != nil
		}
		if !ok {
			t.Errorf("%+v is not so", c)
		}
	}
	if kinds[changeEdited] < 10 || kinds[changeMoved] < 3 || kinds[changeGone] < 3 || kinds[changeNew] < 3 {
		t.Errorf("changes: %v", kinds)
	}
	for u, is := range after.docs {
		was := before.docs[u]
		if was == nil || was.form == moved || is.form == moved || is.status != 0 {
			continue
		}
		if same, dated := bytes.Equal(was.body, is.body), was.modified().Equal(is.modified()); same != dated {
			t.Errorf("%s: the same bytes is %v, the same date %v", u, same, dated)
		}
	}
	long := New(Options{Epoch: 60})
	for _, s := range long.Sites() {
		if len(s.Pages) == 0 {
			t.Errorf("site %s is gone after sixty epochs", s.Name)
		}
	}
}

// TestCharsets: pages of other charsets are written in them, and have only what they have.
func TestCharsets(t *testing.T) {
	n := 0
	for u, d := range New(Options{}).docs {
		if d.charset != utf8Text {
			n++
			e, _ := htmlindex.Get(d.charset.String())
			text, err := e.NewDecoder().String(string(d.body))
			if err != nil || text != d.html() || text == string(d.body) {
				t.Errorf("%s in %s: %v", u, d.charset, err)
			}
		}
	}
	if n != 5 {
		t.Errorf("%d pages in other charsets, want 5", n)
	}
}

func TestPlural(t *testing.T) {
	for noun, want := range map[string]string{
		"box": "boxes", "batch": "batches", "library": "libraries",
		"key": "keys", "lens": "lenses", "day": "days", "slide": "slides",
	} {
		if got := plural(noun); got != want {
			t.Errorf("%s: %s, want %s", noun, got, want)
		}
	}
}

// The patterns and answers are those of RFC 9309, sections 2.2.2, 2.2.3 and 5.2, and of the "$" and
// "*" that it names.
func TestRules(t *testing.T) {
	for _, x := range []struct {
		disallow, allow string
		path            string
		want            bool
	}{
		{"/", "", "/a", false},
		{"", "", "/a", true},
		{"/a", "", "/b", true},
		{"/a/", "/a/b.html", "/a/b.html", true},
		{"/a/", "/a/b.html", "/a/c.html", false},
		{"/a", "/a", "/a", true},
		{"/*.gif$", "", "/x/y.gif", false},
		{"/*.gif$", "", "/x/y.gif?z", true},
		{"/*?print=", "", "/x/?print=1", false},
		{"/*?print=", "", "/x/?a=1", true},
		{"/~*/drafts/", "", "/~anna/drafts/x", false},
		{"/~*/drafts/", "", "/~anna/x", true},
		{"/a$", "", "/a", false},
		{"/a$", "", "/ab", true},
		{"/", "", "/robots.txt", true},
	} {
		var r rules
		if x.disallow != "" {
			r.disallow = []string{x.disallow}
		}
		if x.allow != "" {
			r.allow = []string{x.allow}
		}
		if got := r.allows(x.path); got != x.want {
			t.Errorf("disallow %q, allow %q: %s is %v, want %v", x.disallow, x.allow, x.path, got, x.want)
		}
	}
}

func TestTraps(t *testing.T) {
	w := New(Options{})
	u := page.URL("http://calendar.parish.example/month?y=2026&m=1")
	for i := range 500 {
		d := w.find(u)
		if d == nil || len(d.links) != 2 {
			t.Fatalf("after %d months: %s is %+v", i, u, d)
		}
		next := d.links[0].target()
		if back := w.find(next); back == nil || back.links[1].target() != u {
			t.Fatalf("the month before %s is not %s", next, u)
		}
		u = next
	}
	if u != "http://calendar.parish.example/month?y=2067&m=9" {
		t.Errorf("500 months later is %s", u)
	}
	for _, none := range []page.URL{
		"http://calendar.parish.example/month?y=2026&m=13",
		"http://calendar.parish.example/month?y=2026&m=01", "http://calendar.parish.example/rooms",
	} {
		if d := w.find(none); d != nil {
			t.Errorf("%s is there", none)
		}
	}
	for _, trap := range w.traps() {
		found := false
		for _, d := range w.docs {
			for _, l := range d.links {
				found = found || strings.HasPrefix(string(l.target()), string(trap.Prefix))
			}
		}
		if !found {
			t.Errorf("nothing leads to the trap %s", trap.Prefix)
		}
	}
}

// mirrors are the copies of sites.
func (w *Web) mirrors() []mirror {
	const atlas = "http://www.atlas.example/"
	return []mirror{
		{Original: atlas, Copy: mirrorBase, Identical: true},
		{Original: atlas, Copy: editionBase},
	}
}

// traps are the endless places.
func (w *Web) traps() []trap {
	return []trap{
		{Prefix: "http://calendar.parish.example/month", Why: "a page for each month of each year"},
		{Prefix: "http://calendar.parish.example/rooms/", Why: "a directory that contains itself"},
	}
}

// mirror is a copy of a site under another prefix.
type mirror struct {
	Original, Copy page.URL
	// Identical tells that all pages are there and the same byte for byte; else they are those of
	// an older edition.
	Identical bool
}

// trap is a place where the addresses have no end.
type trap struct {
	Prefix page.URL
	Why    string
}
