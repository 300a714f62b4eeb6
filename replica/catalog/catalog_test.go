package catalog

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"watershed/page"
	"watershed/replica"
	"watershed/replica/sketch"
)

// text is words of its own for each number.
func text(n int) string {
	var b strings.Builder
	for i := range 150 {
		fmt.Fprintf(&b, "w%d ", (i*i+n*7919+i*n)%997)
	}
	return b.String()
}

// visit is a page with that text and links.
func visit(t testing.TB, u, text string, links ...string) *page.Visit {
	t.Helper()
	b, err := sketch.NewBuilder(sketch.Options{})
	if err != nil {
		t.Fatal(err)
	}
	b.Text([]byte(text))
	s := b.Sketch()
	v := &page.Visit{
		URL: page.URL(u), Status: 200, Time: time.Unix(1e9, 0), MIME: "text/html",
		Digest: page.SumDigest([]byte(text)), Size: int64(len(text)),
	}
	if s.Tokens > 0 {
		v.Sketch = s.AppendEncode(nil)
	}
	for _, l := range links {
		v.Links = append(v.Links, page.Link{URL: page.URL(l), Kind: page.Navigation})
	}
	return v
}

// manual is a copy of a work of n pages in a directory; change may give a page another text.
func manual(t testing.TB, dir string, n int, change func(i int, text string) string) []*page.Visit {
	var list []*page.Visit
	for i := range n {
		words := text(i)
		if change != nil {
			words = change(i, words)
		}
		u := func(i int) string { return fmt.Sprintf("%sc%d", dir, i%n) }
		list = append(list, visit(t, u(i), words, u(i+1), u(5*i), dir+"c0"))
	}
	return list
}

func documents(visits ...*page.Visit) iter.Seq2[Document, error] {
	return func(yield func(Document, error) bool) {
		for _, v := range visits {
			if d, ok := Of(v); ok && !yield(d, nil) {
				return
			}
		}
	}
}

func open(t testing.TB, dir string) *Catalog {
	t.Helper()
	c, err := Open(dir, Options{Memory: 8 << 20})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := c.Close(); err != nil {
			t.Error(err)
		}
	})
	return c
}

func add(t testing.TB, c *Catalog, visits ...*page.Visit) SweepInfo {
	t.Helper()
	info, err := c.Add(t.Context(), 0, "test", documents(visits...))
	if err != nil {
		t.Fatal(err)
	}
	return info
}

func find(t testing.TB, c *Catalog) (*Finding, []Proposal) {
	t.Helper()
	f, err := c.Find(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	list, err := f.Propose(Rule{}, time.Unix(2e9, 0))
	if err != nil {
		t.Fatal(err)
	}
	return f, list
}

// TestRecord: what is written is read again; what is cut short, or changed, is an error.
func TestRecord(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := Document{
			URL: page.URL(rapid.String().Draw(t, "url")), Gone: rapid.Bool().Draw(t, "gone"),
			Part: rapid.Bool().Draw(t, "part"),
			Time: rapid.Int64().Draw(t, "time"), Size: rapid.Uint32().Draw(t, "size"),
			Digest: rapid.Uint64().Draw(t, "digest"), Label: rapid.Uint64().Draw(t, "label"),
		}
		if b := rapid.SliceOf(rapid.Byte()).Draw(t, "sketch"); len(b) > 0 {
			d.Sketch = b
		}
		for _, k := range rapid.SliceOfN(rapid.Uint64(), 0, 5).Draw(t, "links") {
			d.Links = append(d.Links, page.Key(k))
		}
		record := d.append(nil)
		var got Document
		read := func(b []byte) error { _, err := readRecord(reader(b), &got); return err }
		if err := read(record); err != nil {
			t.Fatal(err)
		}
		if len(got.Links) == 0 {
			got.Links = nil
		}
		if diff := cmp.Diff(d, got); diff != "" {
			t.Fatal(diff)
		}
		if n := rapid.IntRange(0, len(record)-1).Draw(t, "cut"); read(record[:n]) == nil {
			t.Fatalf("a record cut at %d of %d bytes is read", n, len(record))
		}
	})
}

// TestPropose: a copy is full evidence, also with a page rewritten, and within strange pages; one of
// which too few pages are alike is not.
func TestPropose(t *testing.T) {
	c := open(t, t.TempDir())
	var all []*page.Visit
	all = append(all, manual(t, "http://a.example/manual/", 20, nil)...)
	all = append(all, manual(t, "http://b.example/copy/", 20, func(_ int, s string) string {
		return s + "from b"
	})...)
	all = append(all, manual(t, "http://c.example/bad/", 20, func(i int, s string) string {
		if i%2 == 1 || i == 10 || i == 12 {
			return text(300 + i)
		}
		return s
	})...)
	all = append(all, manual(t, "http://f.example/good/", 20, func(i int, s string) string {
		if i == 7 {
			return text(300)
		}
		return s
	})...)
	all = append(all, manual(t, "http://d.example/work/manual/", 20, nil)...)
	all = append(all, visit(t, "http://d.example/work/", text(400)),
		visit(t, "http://d.example/work/own", text(401)))
	for i := range 20 { // the original is the one that others link to
		all = append(all, visit(t, fmt.Sprintf("http://e.example/%d", i), text(500+i),
			fmt.Sprintf("http://a.example/manual/c%d", i)))
	}
	add(t, c, all...)
	f, list := find(t, c)
	got := map[string]string{}
	for _, p := range list {
		got[p.Entry.From+" = "+p.Entry.To] = p.Lacks
	}
	want := map[string]string{
		"http://b.example/copy/ = http://a.example/manual/":        "",
		"http://d.example/work/manual/ = http://a.example/manual/": "",
		"http://f.example/good/ = http://a.example/manual/":        "",
		"http://c.example/bad/ = http://a.example/manual/":         "8 pages alike, of 10 needed",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Fatalf("proposals (-want +got):\n%s", diff)
	}
	var table replica.Table
	for _, p := range list {
		if _, err := table.Propose(p.Entry); err != nil {
			t.Fatal(err)
		}
	}
	done, err := f.Confirm(&table, list, Rule{}, replica.Change{Time: time.Unix(2e9, 0), By: "rule"})
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(done)
	if diff := cmp.Diff([]string{
		"http://b.example/copy/", "http://d.example/work/manual/",
		"http://f.example/good/",
	}, done); diff != "" {
		t.Error(diff)
	}
	again, err := f.Confirm(&table, list, Rule{}, replica.Change{Time: time.Unix(2e9, 0), By: "rule"})
	if err != nil || len(again) != 0 {
		t.Errorf("confirmed twice: %v, %v", again, err)
	}
}

// TestEditionOfCopies: of two copies of a later edition one is the original of the other.
func TestEditionOfCopies(t *testing.T) {
	c := open(t, t.TempDir())
	all := manual(t, "http://a.example/doc/", 20, nil)
	for _, host := range []string{"b", "c"} {
		all = append(all, manual(t, "http://"+host+".example/doc/", 20, func(i int, s string) string {
			old, own := strings.Fields(s), strings.Fields(text(700+i))
			return strings.Join(append(old[:120:120], own[120:]...), " ")
		})...)
	}
	add(t, c, all...)
	_, list := find(t, c)
	if !full(list, "http://c.example/doc/", "http://b.example/doc/") {
		t.Errorf("%+v", list)
	}
}

// TestPartsOfCopies: two hosts have two manuals in common, and more pages of the same names that differ.
func TestPartsOfCopies(t *testing.T) {
	c := open(t, t.TempDir())
	var all []*page.Visit
	for n, host := range []string{"http://a.example/", "http://b.example/"} {
		for dir, first := range map[string]int{"doc/": 0, "man/": 100, "news/": 200 + 100*n} {
			pages := 20
			if dir == "news/" {
				pages = 60
			}
			all = append(all, manual(t, host+dir, pages, func(i int, _ string) string {
				return text(first + i)
			})...)
		}
	}
	add(t, c, all...)
	_, list := find(t, c)
	for _, dir := range []string{"doc/", "man/"} {
		if !full(list, "http://b.example/"+dir, "http://a.example/"+dir) {
			t.Errorf("%s: %+v", dir, list)
		}
	}
}

// full reports full evidence that one place is a copy of another.
func full(list []Proposal, from, to string) bool {
	return slices.ContainsFunc(list, func(p Proposal) bool {
		return p.Full() && p.Entry.From == from && p.Entry.To == to
	})
}

// TestEdition: a copy is another edition where fewer than half of its pages are alike.
func TestEdition(t *testing.T) {
	p := Proposal{Entry: replica.Entry{Evidence: replica.Evidence{Pages: 90, Tested: 25, Agreed: 12}}}
	if lacks := (Rule{}).withDefaults().lacks(&p); lacks !=
		"12 of 25 pages compared are alike, fewer than half" {
		t.Error(lacks)
	}
	if p.Entry.Evidence.Agreed++; (Rule{}).withDefaults().lacks(&p) != "" {
		t.Error("13 of 25 are no evidence")
	}
}

// TestSweeps: what a later sweep does not have stays, and what it found gone is gone.
func TestSweeps(t *testing.T) {
	dir := t.TempDir()
	c := open(t, dir)
	add(t, c, visit(t, "http://a.example/old", text(1)), visit(t, "http://a.example/stays", text(2)),
		visit(t, "http://a.example/edited", text(3)))
	moved := visit(t, "http://b.example/new", text(1)+"moved")
	gone := &page.Visit{URL: "http://a.example/old", Status: 404}
	info := add(t, c, moved, gone, visit(t, "http://a.example/edited", text(4)),
		visit(t, "http://a.example/edited", text(5)))
	if info.Documents != 2 || info.Gone != 1 || len(info.Replaced) != 1 {
		t.Errorf("%+v", info)
	}
	f, _ := find(t, c)
	var urls []page.URL
	for _, p := range f.Pages {
		urls = append(urls, p.URL)
	}
	if diff := cmp.Diff([]page.URL{
		"http://a.example/edited", "http://a.example/stays",
		"http://b.example/new",
	}, urls); diff != "" {
		t.Error(diff)
	}
	if _, err := c.Add(t.Context(), 2, "", documents()); !errors.Is(err, errSweep) {
		t.Errorf("a sweep twice: %v", err)
	}
}

// TestBrokenOff: an addition that fails leaves the catalog as it was.
func TestBrokenOff(t *testing.T) {
	dir := t.TempDir()
	c := open(t, dir)
	add(t, c, visit(t, "http://a.example/1", text(1)))
	cause := errors.New("read no further")
	_, err := c.Add(t.Context(), 0, "", func(yield func(Document, error) bool) {
		d, _ := Of(visit(t, "http://a.example/2", text(2)))
		_ = yield(d, nil) && yield(Document{}, cause)
	})
	if !errors.Is(err, cause) {
		t.Fatal(err)
	}
	if err := c.Close(); err != nil {
		t.Fatal(err)
	}
	c = open(t, dir)
	if len(c.Sweeps()) != 1 {
		t.Errorf("%+v", c.Sweeps())
	}
	info := add(t, c, visit(t, "http://a.example/2", text(2)))
	if info.Number != 2 {
		t.Errorf("%+v", info)
	}
	files, err := filepath.Glob(filepath.Join(dir, "*.tmp"))
	if err != nil || len(files) > 0 {
		t.Errorf("strays: %v, %v", files, err)
	}
}

// TestDamage: a changed byte of a sweep is told with its place.
func TestDamage(t *testing.T) {
	dir := t.TempDir()
	c := open(t, dir)
	add(t, c, manual(t, "http://a.example/", 5, nil)...)
	if err := c.Close(); err != nil {
		t.Fatal(err)
	}
	name := filepath.Join(dir, pagesName(1))
	b, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	b[len(b)/2] ^= 1
	if err := os.WriteFile(name, b, 0o666); err != nil {
		t.Fatal(err)
	}
	if _, err := open(t, dir).Find(t.Context()); err == nil ||
		!strings.Contains(err.Error(), pagesName(1)+" at ") {
		t.Errorf("%v", err)
	}
}

func reader(b []byte) *bufio.Reader { return bufio.NewReader(bytes.NewReader(b)) }

// TestConfirmNested: what an entry in force says of the pages around a directory, its own need not
// say, nor contradict.
func TestConfirmNested(t *testing.T) {
	c := open(t, t.TempDir())
	var all []*page.Visit
	for _, dir := range []string{"http://a.example/", "http://b.example/"} {
		all = append(all, manual(t, dir+"en/", 20, nil)...)
		all = append(all, manual(t, dir+"fr/", 20, func(i int, s string) string {
			if i%10 == 9 {
				return text(600 + i) // translated; the others are not
			}
			return s
		})...)
	}
	add(t, c, all...)
	f := found(t, c)
	entry := func(from, to string) Proposal {
		p := Proposal{Entry: replica.Entry{From: from, To: to, Method: method}}
		if err := f.measure(&p, Rule{}.withDefaults()); err != nil {
			t.Fatal(err)
		}
		p.Entry.Evidence.Purity = 1
		return p
	}
	wide, worse := entry("b.example", "a.example"), entry("http://b.example/fr/", "http://a.example/en/")
	confirm := func(list ...Proposal) []string {
		var table replica.Table
		for _, p := range list {
			if _, err := table.Propose(p.Entry); err != nil {
				t.Fatal(err)
			}
		}
		done, err := f.Confirm(&table, list, Rule{}, replica.Change{Time: time.Unix(2e9, 0), By: "rule"})
		if err != nil {
			t.Fatal(err)
		}
		return done
	}
	if diff := cmp.Diff([]string{"b.example"}, confirm(wide, worse)); diff != "" {
		t.Errorf("within what says more (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"http://b.example/fr/"}, confirm(worse)); diff != "" {
		t.Errorf("alone (-want +got):\n%s", diff)
	}
	var table replica.Table
	if err := table.Put(replica.Entry{
		From: "b.example", To: "c.example", State: replica.Confirmed,
		Method: "hand",
	}); err != nil {
		t.Fatal(err)
	}
	if _, err := table.Propose(worse.Entry); err != nil {
		t.Fatal(err)
	}
	done, err := f.Confirm(&table, []Proposal{worse}, Rule{},
		replica.Change{Time: time.Unix(2e9, 0), By: "rule"})
	if diff := cmp.Diff([]string{"http://b.example/fr/"}, done); diff != "" || err != nil {
		t.Errorf("within what says less (-want +got):\n%s%v", diff, err)
	}
}
