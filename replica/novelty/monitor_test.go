package novelty

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"watershed/page"
)

// crawl lets a monitor see a place breadth first until it has brought n pages or nothing more is
// allowed; text and links say what a page has. It gives the pages that were fetched.
func crawl(t *testing.T, m *Monitor, start page.URL, n int, text func(page.URL) string,
	links func(page.URL) []page.URL, images func(page.URL) []page.URL,
) []page.URL {
	t.Helper()
	seen := map[page.URL]bool{start: true}
	queue, refused := []page.URL{start}, []page.URL(nil)
	r := NewReader()
	var fetched []page.URL
	for len(fetched) < n && (len(queue) > 0 || m.Reconsiders()) {
		if len(queue) == 0 {
			queue, refused = refused, nil
			continue
		}
		u := queue[0]
		queue = queue[1:]
		if _, no := m.Refuses(u); no && u != start {
			refused = append(refused, u)
			continue
		}
		fetched = append(fetched, u)
		r.Begin(u)
		r.Text([]byte(text(u)))
		var shown []page.URL
		if images != nil {
			shown = images(u)
		}
		m.Learn(u, r.Features(), shown)
		for _, l := range links(u) {
			if seen[l] {
				continue
			}
			seen[l] = true
			m.Found(l, u)
			queue = append(queue, l)
		}
	}
	return fetched
}

func words(seed uint64, n int) string {
	r := rand.New(rand.NewPCG(seed, 1))
	var b strings.Builder
	for range n {
		for range 3 + r.IntN(5) {
			b.WriteByte('a' + byte(r.IntN(26)))
		}
		b.WriteByte(' ')
	}
	return b.String()
}

func number(u page.URL) (n uint64) {
	for _, c := range []byte(u) {
		if c >= '0' && c <= '9' {
			n = n*10 + uint64(c-'0')
		}
	}
	return n
}

func TestEndlessPlaces(t *testing.T) {
	next := func(format string) func(page.URL) []page.URL {
		return func(u page.URL) []page.URL {
			return []page.URL{
				page.URL(fmt.Sprintf(format, number(u)+1)),
				page.URL(fmt.Sprintf(format, number(u)+2)),
			}
		}
	}
	months := []string{
		"January", "February", "March", "April", "May", "June", "July", "August", "September",
		"October", "November", "December",
	}
	shelf := words(7, 400)
	for _, c := range []struct {
		name   string
		start  page.URL
		text   func(page.URL) string
		links  func(page.URL) []page.URL
		images func(page.URL) []page.URL
		stops  bool
	}{
		{"calendar", "http://a.example/cal/1", func(u page.URL) string {
			return months[number(u)%12] + fmt.Sprint(" ", 2000+number(u)/12,
				" 1 2 3 4 5 6 7 8 9 previous next week home")
		}, next("http://a.example/cal/%d"), nil, true},
		{
			"session", "http://a.example/item?sid=1", func(page.URL) string { return shelf },
			next("http://a.example/item?sid=%d"), nil, true,
		},
		{"facets", "http://a.example/list?f=1", func(u page.URL) string {
			n := int(number(u)) % 40 // items in another order
			return shelf[n*10:] + shelf[:n*10]
		}, next("http://a.example/list?f=%d"), nil, true},
		{"a station's measurements", "http://a.example/day/1", func(u page.URL) string {
			r, table := rand.New(rand.NewPCG(number(u), 1)), "Hour Temperature Pressure Wind\n"
			for hour := range 24 {
				table += fmt.Sprintf("%02d:00 %.1f %.1f %.1f\n", hour, 40*r.Float64(), 1e3*r.Float64(),
					r.Float64())
			}
			return table
		}, next("http://a.example/day/%d"), nil, false},
		{"a newspaper", "http://a.example/news/1", func(u page.URL) string {
			return "menu of the paper " + words(number(u), 80)
		}, next("http://a.example/news/%d"), nil, false},
		{"a catalogue with long menus", "http://a.example/goods/1", func(u page.URL) string {
			return shelf[:600] + words(number(u), 25)
		}, next("http://a.example/goods/%d"), nil, false},
		{"a gallery without words", "http://a.example/photos/1", func(page.URL) string {
			return "previous next photo"
		}, next("http://a.example/photos/%d"), func(u page.URL) []page.URL {
			return []page.URL{page.URL(fmt.Sprintf("http://a.example/i/%d.jpg", number(u)))}
		}, false},
		{
			"tables of numbers that one index names", "http://a.example/t/0",
			func(u page.URL) string { return "table of numbers 1 2 3" }, func(u page.URL) []page.URL {
				var all []page.URL
				for i := 1; i < 900 && number(u) == 0; i++ {
					all = append(all, page.URL(fmt.Sprintf("http://a.example/t/%d", i)))
				}
				return all
			}, nil, false,
		},
		{
			"tables of numbers that thirty indices name", "http://a.example/t/0",
			func(u page.URL) string { return "table of numbers 1 2 3" }, func(u page.URL) []page.URL {
				n, width := number(u), uint64(30)
				var all []page.URL
				for i := uint64(1); i <= width && n <= width; i++ {
					all = append(all, page.URL(fmt.Sprintf("http://a.example/t/%d", n*width+i)))
				}
				return all
			}, nil, false,
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			m := New(Options{})
			const most = 900
			got := crawl(t, m, c.start, most, c.text, c.links, c.images)
			if stopped := len(got) < most; stopped != c.stops {
				t.Errorf("fetched %d pages, stopped %v, want %v", len(got), stopped, c.stops)
			}
			if c.stops && len(got) > 2*200 {
				t.Errorf("stopped only after %d pages", len(got))
			}
		})
	}
}

// TestTagsInAnyOrder: lists of what has all of some tags, which each address names in another order, end,
// and what they list is had.
func TestTagsInAnyOrder(t *testing.T) {
	const items, tags = 80, 24
	of := make([][]string, items)
	for i := range of {
		r := rand.New(rand.NewPCG(uint64(i), 2))
		for _, n := range r.Perm(tags)[:3+r.IntN(4)] {
			of[i] = append(of[i], strings.Fields(words(uint64(1000+n), 1))[0])
		}
		slices.Sort(of[i])
	}
	for _, form := range []struct{ prefix, joint string }{
		{"http://a.example/tags/", "+"},
		{"http://a.example/tags/", "/"},
		{"http://a.example/?tag=", "&tag="},
		{"http://a.example/?q=", "%2C"},
	} {
		parts := map[page.URL][]string{}
		links := func(u page.URL) (all []page.URL) {
			listed := map[string]bool{}
			for i, have := range of {
				holds := func(tag string) bool { return slices.Contains(have, tag) }
				if n := len(parts[u]); n == len(slices.DeleteFunc(slices.Clone(parts[u]),
					func(tag string) bool { return !holds(tag) })) {
					all = append(all, page.URL(fmt.Sprintf("http://a.example/item/%d", i)))
					for _, tag := range have {
						listed[tag] = !slices.Contains(parts[u], tag)
					}
				}
			}
			for _, tag := range slices.Sorted(maps.Keys(listed)) {
				if listed[tag] {
					more := append(slices.Clone(parts[u]), tag)
					next := page.URL(form.prefix + strings.Join(more, form.joint))
					parts[next] = more
					all = append(all, next)
				}
			}
			return all
		}
		text := func(u page.URL) string {
			said := strings.Join(parts[u], " and ") + " "
			if strings.Contains(string(u), "/item/") {
				return said + words(number(u), 30) + words(2000+number(u), 100)
			}
			for _, l := range links(u) {
				if strings.Contains(string(l), "/item/") {
					said += words(number(l), 30) + strings.Join(of[number(l)], " ") + " "
				}
			}
			return said
		}
		m := New(Options{})
		fetched := crawl(t, m, "http://a.example/", 5000, text, links, nil)
		had := 0
		for _, u := range fetched {
			had += strings.Count(string(u), "/item/")
		}
		if len(fetched) > 1500 || had != items {
			t.Errorf("%s: %d pages were fetched, %d of %d items", form, len(fetched), had, items)
		}
	}
}

// A trap within a site stops by itself, and the rest of the site goes on.
func TestOnlyTheTrapStops(t *testing.T) {
	m := New(Options{})
	links := func(u page.URL) []page.URL {
		n := number(u)
		trap := page.URL(fmt.Sprintf("http://a.example/x/cal/%d", n+1))
		if strings.Contains(string(u), "/cal/") {
			return []page.URL{trap, page.URL(fmt.Sprintf("http://a.example/x/cal/%d", n+2))}
		}
		return []page.URL{trap, page.URL(fmt.Sprintf("http://a.example/x/doc/%d", n+1))}
	}
	text := func(u page.URL) string {
		if strings.Contains(string(u), "/cal/") {
			return "day previous next week home and other words of a calendar"
		}
		return words(number(u), 60)
	}
	doc, cal := 0, 0
	for _, u := range crawl(t, m, "http://a.example/x/doc/0", 3000, text, links, nil) {
		if strings.Contains(string(u), "/doc/") {
			doc++
		} else {
			cal++
		}
	}
	by, ok := m.Refuses("http://a.example/x/cal/99999")
	if !ok || !strings.HasPrefix(by.Place, "http://a.example/x/cal/") {
		t.Errorf("the calendar is kept out by %+v", by)
	}
	if _, no := m.Refuses("http://a.example/x/doc/99999"); no || doc < 2000 || cal > 700 {
		t.Errorf("%d documents, %d pages of the calendar; documents refused: %v", doc, cal, no)
	}
}

// TestTheRestGoesOn: a calendar of empty days brings nearly all pages of a site whose texts are found one
// by one. The calendar ends, and no text is lost.
func TestTheRestGoesOn(t *testing.T) {
	const texts = 60
	for _, c := range []struct{ name, text, month, day string }{
		{"directories", "/blog/%d", "/events/%d-%d", "/events/%d-%d-%d"},
		{"queries", "/blog/%d", "/events?month=%d-%d", "/events?day=%d-%d-%d"},
		{"queries of the root", "/blog/%d", "/?month=%d-%d", "/?day=%d-%d-%d"},
		{"a directory a day", "/post-%d/", "/%d/%d/", "/%d/%d/%d/"},
		{"a directory a day, deeper", "/x/post-%d/", "/x/%d/%d/", "/x/%d/%d/%d/"},
		{"three traps", "/blog/%d", "/login?from=%d.%d", "/print?from=%d.%d.%d"},
		{"paths in the root", "/post/%d", "/month-%d-%d.html", "/day-%d-%d-%d.html"},
	} {
		t.Run(c.name, func(t *testing.T) {
			m := New(Options{})
			at := func(format string, n ...any) page.URL {
				return page.URL("http://a.example" + fmt.Sprintf(format, n...))
			}
			months, days, posts := map[page.URL]int{}, map[page.URL]bool{}, map[page.URL]int{}
			links := func(u page.URL) (all []page.URL) {
				if n, ok := posts[u]; (ok || u == "http://a.example/") && n < texts {
					next := at(c.text, n+1)
					posts[next] = n + 1
					all = append(all, next)
				}
				n, ok := months[u]
				if u == "http://a.example/" {
					n = 24288
				} else if !ok {
					return all
				}
				for _, n := range []int{n - 1, n + 1} {
					near := at(c.month, n/12, n%12+1)
					months[near] = n
					all = append(all, near)
				}
				for d := range 28 {
					day := at(c.day, n/12, n%12+1, d+1)
					days[day] = true
					all = append(all, day)
				}
				return all
			}
			text := func(u page.URL) string {
				if n, ok := posts[u]; ok {
					return words(uint64(n)+100, 60)
				}
				return "day previous next week home and other words of a calendar"
			}
			got := crawl(t, m, "http://a.example/", 5000, text, links, nil)
			read, empty := 0, 0
			for _, u := range got {
				if posts[u] > 0 {
					read++
				} else {
					empty++
				}
			}
			if read != texts || empty > 1000 {
				t.Errorf("%d texts of %d, and %d pages of the calendar", read, texts, empty)
			}
		})
	}
}

// TestPicturesInVain: where each page has another address for the same pictures, it shows nothing new by
// them; a gallery whose pictures have one name in many directories goes on.
func TestPicturesInVain(t *testing.T) {
	next := func(u page.URL) []page.URL {
		return []page.URL{page.URL(fmt.Sprintf("http://a.example/t/%d/", number(u)+1))}
	}
	for _, c := range []struct {
		name    string
		picture func(page.URL) page.URL
		content func(page.URL) uint64
		stops   bool
	}{
		{
			"any path is answered", func(u page.URL) page.URL { return u + "img/x.gif" },
			func(page.URL) uint64 { return 0 }, true,
		},
		{
			"the same style everywhere", func(u page.URL) page.URL { return u + "s.css" },
			func(page.URL) uint64 { return 7 }, true,
		},
		{
			"a number against caches", func(u page.URL) page.URL {
				return page.URL(fmt.Sprintf("http://a.example/i?%d", number(u)))
			}, func(page.URL) uint64 { return 7 }, true,
		},
		{
			"a number against caches of a file", func(u page.URL) page.URL {
				return page.URL(fmt.Sprintf("http://a.example/i.gif?%d", number(u)))
			}, func(u page.URL) uint64 { return uint64(u.Key()) }, true,
		},
		{
			"a gallery by a program", func(u page.URL) page.URL {
				return page.URL(fmt.Sprintf("http://a.example/i.php?%d", number(u)))
			}, func(u page.URL) uint64 { return uint64(u.Key()) }, false,
		},
		{
			"a gallery", func(u page.URL) page.URL { return u + "x.jpg" },
			func(u page.URL) uint64 { return uint64(u.Key()) }, false,
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			m := New(Options{})
			const most = 600
			got := crawl(t, m, "http://a.example/t/1/", most, func(u page.URL) string {
				m.Had(c.picture(u), c.content(u))
				return "previous next photo"
			}, next, func(u page.URL) []page.URL { return []page.URL{c.picture(u)} })
			if stopped := len(got) < most; stopped != c.stops {
				t.Errorf("fetched %d pages, stopped %v, want %v", len(got), stopped, c.stops)
			}
		})
	}
}

func TestReader(t *testing.T) {
	r := NewReader()
	read := func(pieces ...string) []uint64 {
		for _, p := range pieces {
			r.Text([]byte(p))
		}
		return r.Features().runs
	}
	one := read("The quick brown fox jumps over the lazy dog")
	if len(one) != 5 || !slices.IsSorted(one) {
		t.Errorf("%d features of nine words", len(one))
	}
	for name, same := range map[string][]uint64{
		"pieces": read("The qui", "ck brown ", "fox jumps over the lazy", " dog"),
		"case":   read("THE QUICK BROWN FOX JUMPS OVER THE LAZY DOG"),
		"digits": read("1 The 22 quick2 brown fox jumps 3 over the lazy dog 44"),
	} {
		if d := cmp.Diff(one, same); d != "" {
			t.Errorf("%s: %s", name, d)
		}
	}
	if len(read("1.5 2,25 3.75")) != 1 || len(read("1.5 2.5 m 3.5")) != 1 ||
		len(read("1.5 2.2.2 3.75")) != 0 || len(read("1. 2.5 3.5 4.5 5")) != 1 ||
		cmp.Equal(read("1.5 2.5 3.5"), read("1.5 2.5 3.6")) {
		t.Error("decimal numbers")
	}
	if len(read("")) != 0 || len(read("1 2 3")) != 0 || len(read("two words")) != 1 ||
		cmp.Equal(read("two words"), read("words two")) {
		t.Error("short pages")
	}
	if len(read(words(3, 5000))) != maxFeatures {
		t.Error("a long page has its smallest features")
	}
}

// The features of a text are the smallest of those of all its runs, however it is cut into pieces.
func TestReaderSmallest(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		list := rapid.SliceOfN(rapid.StringMatching(`[a-e]{1,2}`), 5, 600).Draw(t, "words")
		text := strings.Join(list, " ")
		var want []uint64
		for i := range len(list) - 4 {
			r := NewReader()
			r.Text([]byte(strings.Join(list[i:i+5], " ")))
			want = append(want, r.Features().runs...)
		}
		slices.Sort(want)
		want = slices.Compact(want)
		want = want[:min(len(want), maxFeatures)]
		r := NewReader()
		for text != "" {
			n := rapid.IntRange(1, len(text)).Draw(t, "piece")
			r.Text([]byte(text[:n]))
			text = text[n:]
		}
		if d := cmp.Diff(want, r.Features().runs); d != "" {
			t.Fatal(d)
		}
	})
}

// TestLinesAreBounded: of a page of very many lines, or numbers, a part is looked at, and a line of words
// stays one where there is no room for it.
func TestLinesAreBounded(t *testing.T) {
	r := NewReader()
	for i := range 2 * mostLines {
		fmt.Fprintf(text{r}, "word%s %d\n", strings.Repeat("x", i%100), i)
	}
	if f := r.Features(); len(f.lines) != 100 || len(f.rows) != 0 {
		t.Errorf("%d lines, %d rows", len(f.lines), len(f.rows))
	}
	for i := range 2 * mostLines {
		fmt.Fprintf(text{r}, "%s\n%d\n", words(uint64(i), 2), i)
	}
	if f := r.Features(); len(f.lines) != mostLines || len(f.rows) != mostLines {
		t.Errorf("%d lines, %d rows", len(f.lines), len(f.rows))
	}
}

// text has a Reader take what is written.
type text struct{ *Reader }

func (x text) Write(piece []byte) (int, error) {
	x.Text(piece)
	return len(piece), nil
}

func TestPlacesAreBounded(t *testing.T) {
	m := New(Options{Places: 100})
	for i := range 10_000 {
		m.Learn(page.URL(fmt.Sprintf("http://h%d.example/a/b", i)), Features{}, nil)
		if len(m.places) > 100+2 {
			t.Fatalf("%d places", len(m.places))
		}
	}
}

// TestTextsGoOn: lists of many kinds, none of which brings most pages, are the greater
// part of a site, so that the whole of it is stopped. Texts are still asked for after that, as is the
// list without words that leads to them, and a text of a kind that nobody has met yet is tried.
func TestTextsGoOn(t *testing.T) {
	m := New(Options{})
	const texts, site = 300, "http://a.example"
	links := func(u page.URL) (all []page.URL) {
		add := func(format string, args ...any) {
			all = append(all, page.URL(site+fmt.Sprintf(format, args...)))
		}
		n := int(number(u))
		switch path := strings.TrimPrefix(string(u), site); {
		case strings.HasPrefix(path, "/list?start="):
			for i := range 4 {
				if 4*n+i < texts {
					add("/doc/%d", 4*n+i)
				}
			}
			if 4*n < texts {
				add("/list?start=%d", n+1)
			}
			fallthrough
		default:
			for i := range 12 { // twelve ways to look at what is there already
				add("/by%c/%d", 'a'+i, n+1)
			}
		case strings.HasPrefix(path, "/doc/"):
			if n > texts-10 {
				add("/late/%d", n)
			}
		case strings.HasPrefix(path, "/late/"):
		}
		return all
	}
	text := func(u page.URL) string {
		switch {
		case strings.Contains(string(u), "/doc/"):
			return words(number(u), 60)
		case strings.Contains(string(u), "/late/"):
			return words(number(u)+5000, 60)
		}
		return "1 2 3 previous next by name by date by size"
	}
	docs, late, dull := 0, 0, 0
	for _, u := range crawl(t, m, site+"/list?start=0", 6000, text, links, nil) {
		switch {
		case strings.Contains(string(u), "/doc/"):
			docs++
		case strings.Contains(string(u), "/late/"):
			late++
		default:
			dull++
		}
	}
	if _, no := m.Refuses(site + "/bya/99999"); !no {
		t.Error("the site is not stopped")
	}
	if docs != texts || late != 9 || dull > 1200 {
		t.Errorf("%d texts of %d, %d late ones of 9, and %d lists", docs, texts, late, dull)
	}
}

// TestTrialsEnd: where a site was stopped, new kinds of pages that bring nothing are tried for some pages
// and then no more, however many kinds there are.
func TestTrialsEnd(t *testing.T) {
	m := New(Options{})
	links := func(u page.URL) (all []page.URL) {
		n := number(u)
		for i := range uint64(5) {
			all = append(all, page.URL("http://a.example/"+strings.ReplaceAll(words(5*n+i, 2), " ", "/")+
				fmt.Sprintf("?p%d=1", 5*n+i)))
		}
		return all
	}
	text := func(page.URL) string { return "previous next and some other words of a menu" }
	got := crawl(t, m, "http://a.example/0", 5000, text, links, nil)
	if len(got) > 200+2*50+10 {
		t.Errorf("%d pages", len(got))
	}
}

// TestLongLists: lists of pages whose texts are alike are fetched to their end, however long they are, as
// long as there are few of them.
func TestLongLists(t *testing.T) {
	for _, c := range []struct{ lists, long int }{{1, 20_000}, {2, 300}, {4, 1000}} {
		m := New(Options{})
		got := crawl(t, m, "http://a.example/list-0.html", 1<<20, func(page.URL) string {
			return "a table of numbers and the menu of its site"
		}, func(u page.URL) (all []page.URL) {
			n := number(u)
			if !strings.Contains(string(u), "/list-") || n >= uint64(c.lists) {
				return nil
			}
			for i := range uint64(c.long) {
				all = append(all, page.URL(fmt.Sprintf("http://a.example/%d.html", n*uint64(c.long)+i)))
			}
			return append(all, page.URL(fmt.Sprintf("http://a.example/list-%d.html", n+1)))
		}, nil)
		if want := c.lists*(c.long+1) + 1; len(got) != want {
			t.Errorf("%d lists of %d pages: fetched %d pages of %d", c.lists, c.long, len(got), want)
		}
	}
}

// TestYearsEnd: a place ends, too, whose pages name hundreds of others each.
func TestYearsEnd(t *testing.T) {
	m := New(Options{})
	const most = 4000
	got := crawl(t, m, "http://a.example/cal/2000", most, func(page.URL) string {
		return "day previous next week home and other words of a calendar"
	}, func(u page.URL) (all []page.URL) {
		path := strings.TrimPrefix(string(u), "http://a.example/cal/")
		if year := number(page.URL(path)); !strings.Contains(path, "-") {
			all = append(all, page.URL(fmt.Sprintf("http://a.example/cal/%d", year+1)))
			for d := range 365 {
				all = append(all, page.URL(fmt.Sprintf("http://a.example/cal/%d-%d", year, d)))
			}
		}
		return all
	}, nil)
	if len(got) == most {
		t.Errorf("fetched %d pages", len(got))
	}
}

// TestDocumentsGoOn: documents of a site that was stopped, and its pages that have not changed since an
// earlier run, are still asked for, though no text of them was read.
func TestDocumentsGoOn(t *testing.T) {
	const site = "http://a.example"
	for _, brings := range []bool{true, false} {
		m := New(Options{})
		refused := func(u page.URL) bool { _, no := m.Refuses(u); return no }
		for i := range 20 {
			if brings {
				m.Brings(page.URL(site + "/files/" + strings.Repeat("a", i+1) + ".pdf"))
			}
		}
		crawl(t, m, site+"/bya/1", 3000, func(page.URL) string { return "1 2 3 previous next" },
			func(u page.URL) (all []page.URL) {
				for i := range 12 {
					all = append(all, page.URL(fmt.Sprintf("%s/by%c/%d", site, 'a'+i, number(u)+1)))
				}
				return all
			}, nil)
		for i := 0; i < 1000; i++ { // tried in vain
			u := page.URL(fmt.Sprintf("%s/%s/x", site, strings.Repeat("b", i+1)))
			if refused(u) {
				break
			}
			m.Learn(u, Features{}, nil)
		}
		if !refused(site + "/byz/1") {
			t.Error("kinds are tried without an end")
		}
		if refused(site+"/files/b.pdf") == brings {
			t.Errorf("where documents were had %t, another one is refused: %t", brings, !brings)
		}
	}
}

// TestDocumentOfEachPage: a calendar each page of which leads to itself as a document ends.
func TestDocumentOfEachPage(t *testing.T) {
	m := New(Options{})
	const most = 2000
	got := crawl(t, m, "http://a.example/cal/1", most, func(page.URL) string {
		return "day previous next week home and other words of a calendar"
	}, func(u page.URL) []page.URL {
		document := page.URL(fmt.Sprintf("http://a.example/pdf/%d.pdf", number(u)))
		m.Found(document, u)
		m.Brings(document)
		return []page.URL{page.URL(fmt.Sprintf("http://a.example/cal/%d", number(u)+1))}
	}, nil)
	if len(got) > most/2 {
		t.Errorf("%d pages", len(got))
	}
}

// TestBegunAgain: a directory with a number is the kind of its own page. When that page has others within
// it stopped in place of it, it begins once more, and what it brings later counts.
func TestBegunAgain(t *testing.T) {
	m := New(Options{Pages: 21})
	r := NewReader()
	learn := func(u page.URL, text string) {
		r.Text([]byte(text))
		m.Learn(u, r.Features(), nil)
		for i := range 4 {
			m.Found(u+page.URL(fmt.Sprintf("x-%d%d", len(u), i)), u)
		}
	}
	const dull = "previous next and some other words of a menu"
	for i := range 40 {
		learn(page.URL(fmt.Sprintf("http://a.example/c/1/x-%d", 2*i)), dull)
		learn(page.URL(fmt.Sprintf("http://a.example/c/1/x-%d", 2*i+1)), dull)
		learn("http://a.example/c/1/", dull)
	}
	for i := range 30 {
		learn(page.URL(fmt.Sprintf("http://a.example/c/%d/", i)), words(uint64(i), 40))
	}
	kind := m.places["http://a.example/c/#/"]
	if kind == nil || kind.spared == 0 {
		t.Fatalf("nothing was stopped in place of it: %+v", kind)
	}
	if !m.worth(kind) {
		t.Errorf("news %v, leads %v", kind.news, kind.leads)
	}
}

// TestStampedLinks: where each link to a page has another number behind it, or a mark of the page that
// it stands on, all pages are had, and not the same ones for ever.
func TestStampedLinks(t *testing.T) {
	const pages = 80
	path := func(u page.URL) page.URL { p, _, _ := strings.Cut(string(u), "?"); return page.URL(p) }
	for _, form := range []string{"http://a.example/news/%d.html?_=%d", "http://a.example/%d/?ref=r%d"} {
		m := New(Options{Pages: 40})
		stamp := 0
		to := func(k uint64) page.URL {
			stamp++
			return page.URL(fmt.Sprintf(form, k%pages, stamp))
		}
		met := map[page.URL]bool{}
		fetched := crawl(t, m, to(0), 3000,
			func(u page.URL) string { return words(number(path(u)), 80) },
			func(u page.URL) []page.URL {
				k := number(path(u))
				return []page.URL{to(0), to(1), to(2), to(3), to(k + 1), to(2 * k)}
			}, nil)
		for _, u := range fetched {
			met[path(u)] = true
		}
		if len(met) != pages || len(fetched) > 10*pages {
			t.Errorf("%s: %d of %d pages, in %d requests", form, len(met), pages, len(fetched))
		}
	}
}

// TestShortRecords: records of a word or two in a long frame, which numbers stand for, and tables of whole
// numbers are all had, though each leads to a page that says nothing; a calendar beside them has an end.
func TestShortRecords(t *testing.T) {
	const site, records = "http://a.example/", 400
	frame, months := words(7, 300)+"\n", []string{"May", "June", "July"}
	number := func(u page.URL, form string) (n int) {
		_, err := fmt.Sscanf(string(u), site+form, &n)
		if err != nil || site+page.URL(fmt.Sprintf(form, n)) != u {
			return -1
		}
		return n
	}
	for form, text := range map[string]func(n int) string{
		"record?id=%d": func(n int) string { return words(uint64(n), 2) },
		"year?is=%d": func(n int) string {
			r, table := rand.New(rand.NewPCG(uint64(n), 1)), "Month\n"
			for range 12 {
				table += fmt.Sprintf("%d\n", r.IntN(1e6))
			}
			return table
		},
	} {
		var had, days int
		crawl(t, New(Options{}), site, 4*records, func(u page.URL) string {
			if n := number(u, form); n >= 0 {
				had++
				return frame + text(n)
			}
			if n := number(u, "cal?day=%d"); n >= 0 {
				days++
				return fmt.Sprintf("%s%d %s %d\n%d\n", frame, n%30, months[n/30%3], 2000+n/90, n)
			}
			return frame
		}, func(u page.URL) (list []page.URL) {
			n := number(u, form)
			if u == site {
				return []page.URL{site + page.URL(fmt.Sprintf(form, 0)), site + "cal?day=1"}
			}
			if day := number(u, "cal?day=%d"); day >= 0 {
				return []page.URL{site + page.URL(fmt.Sprintf("cal?day=%d", day+1))}
			}
			if n >= 0 && n+1 < records {
				list = []page.URL{site + page.URL(fmt.Sprintf(form, n+1)), u + "&print=1"}
			}
			return list
		}, nil)
		if had != records || days > 3*records/2 {
			t.Errorf("%s: %d of %d records, and %d days", form, had, records, days)
		}
	}
}

// TestPagesThatSayLittle: pages that lead to each other are all had, however little each says that
// is new. A calendar ends, as does a list with filters, and later a calendar that counts its
// guests.
func TestPagesThatSayLittle(t *testing.T) {
	const site, most = "http://a.example/", 4000
	frame := words(7, 300) + "\n"
	some := func(n uint64, most int) int { return rand.New(rand.NewPCG(n, uint64(most))).IntN(most) }
	pick := func(n uint64, of string) string {
		list := strings.Fields(of)
		return list[some(n, len(list))]
	}
	date := func(n uint64) string { return fmt.Sprintf("%d May %d", n%31+1, 1990+n/365%40) }
	for _, c := range []struct {
		name     string
		kind     string
		names    uint64 // addresses that each page names
		pages    int    // that there are, 0 for no end
		text     func(n uint64) string
		min, max int
	}{
		{"names", "object/", 1, 1000, func(n uint64) string { return words(n, 2) }, 1000, 1000},
		{"names, without an end", "object/", 1, 0, func(n uint64) string { return words(n, 2) }, 2000, 2200},
		{"links by names made up", "maze/", 3, 0, func(n uint64) string { return words(2*n, 3) }, 2000, 2200},
		{"records of known words", "object/", 1, 1000, func(n uint64) string {
			return pick(n, "bowl cup coin lamp ring") + "\n" + pick(n, "clay glass iron bone") + "\n" +
				fmt.Sprint(some(n, 97), " cm")
		}, 1000, 1000},
		{"a family", "person?id=", 2, 800, func(n uint64) string {
			return pick(n, "Anna Karl Eva Max") + " born " + fmt.Sprint(1500+some(n, 400))
		}, 800, 800},
		{"a level", "gauge/", 1, 1000, func(n uint64) string {
			return fmt.Sprintf("Water level: %d cm", some(n, 900))
		}, 1000, 1000},
		{"votes", "vote/", 1, 600, func(n uint64) (s string) {
			for i := range uint64(30) {
				s += fmt.Sprintf("Member %c\n%s\n", rune('a'+i), pick(n*31+i, "yes no"))
			}
			return s
		}, 600, 600},
		{"a diary, mostly empty", "day/", 1, 1000, func(n uint64) string {
			if n%9 == 0 {
				return date(n) + "\nA talk by " + words(n, 2)
			}
			return date(n) + "\nno events"
		}, 1000, 1000},
		{"a calendar", "cal/", 1, 0, date, 200, 420},
		{"a calendar by number", "cal?day=", 2, 0, func(n uint64) string {
			return fmt.Sprint(date(n), "\nday ", n, "\nafter ", n-1)
		}, 200, 420},
		{"a list of pages that repeats its last", "list?page=", 1, 0, func(n uint64) string {
			return fmt.Sprint("Page ", n, "\nno more")
		}, 200, 220},
		{"what was asked for", "find/pear+", 1, 0, func(n uint64) string {
			return fmt.Sprint("Nothing found for pear ", n)
		}, 200, 220},
		{"what is counted and timed", "cal/", 1, 0, func(n uint64) string {
			return fmt.Sprintf("%s\n10:30 11:30\n%d guests", date(n), some(n, 1e6))
		}, 2000, 2200},
		{"filters", "list?f=", 12, 0, func(n uint64) string {
			return fmt.Sprint(some(n, 1000000), " results")
		}, 200, 220},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			got := crawl(t, New(Options{}), site+page.URL(c.kind+"1"), most,
				func(u page.URL) string { return frame + c.text(number(u)) },
				func(u page.URL) (list []page.URL) {
					for i := range c.names {
						n := (number(u)-1)*c.names + i + 2
						if c.pages == 0 || n <= uint64(c.pages) {
							list = append(list, site+page.URL(fmt.Sprint(c.kind, n)))
						}
					}
					return list
				}, nil)
			if len(got) < c.min || len(got) > c.max {
				t.Errorf("%d pages, of %d to %d", len(got), c.min, c.max)
			}
		})
	}
}

// TestSparseDiary: the few talks are had to which days of a diary lead that are mostly empty; a
// calendar whose talks have ended ends.
func TestSparseDiary(t *testing.T) {
	const site, days, every = "http://a.example/", 1500, 15
	frame := words(7, 300) + "\n"
	for _, end := range []uint64{days, 200} {
		talks := 0
		got := crawl(t, New(Options{}), site+"day/1", 2*days, func(u page.URL) string {
			if strings.Contains(string(u), "talk") {
				talks++
				return frame + words(number(u), 60)
			}
			return frame + "previous day\nnext day"
		}, func(u page.URL) (list []page.URL) {
			n := number(u)
			if strings.Contains(string(u), "talk") {
				return nil
			}
			if n < days || end < days {
				list = append(list, site+page.URL(fmt.Sprintf("day/%d", n+1)))
			}
			if n%every == 0 && n <= end {
				list = append(list, site+page.URL(fmt.Sprintf("talk/%d", n)))
			}
			return list
		}, nil)
		if talks != int(end)/every || end < days && len(got) > 900 {
			t.Errorf("%d of %d talks, in %d pages", talks, int(end)/every, len(got))
		}
	}
}

// TestNewValues: of a program whose pages all have one path, and which lists each article once for each menu
// beside a calendar without end, the articles that nobody has seen go on, and nothing else.
func TestNewValues(t *testing.T) {
	const program, articles = "http://a.example/index.php?", 100
	m := New(Options{})
	article := func(id, menu int) page.URL {
		return page.URL(fmt.Sprintf("%sview=article&id=%d&menu=%d", program, id, menu))
	}
	text := func(u page.URL) string {
		var id, menu int
		if _, err := fmt.Sscanf(string(u), program+"view=article&id=%d&menu=%d", &id, &menu); err == nil {
			return "menu of the site " + words(uint64(id), 60)
		}
		return "menu of the site previous next"
	}
	links := func(u page.URL) (list []page.URL) {
		var n int
		switch {
		case u == program+"view=list&page=0":
			list = append(list, program+"view=month&month=1")
			fallthrough
		case strings.Contains(string(u), "view=list"):
			_, _ = fmt.Sscanf(string(u), program+"view=list&page=%d", &n)
			for id := range 10 {
				list = append(list, article(10*n+id, 0))
			}
			if 10*(n+1) < articles {
				list = append(list, page.URL(fmt.Sprintf("%sview=list&page=%d", program, n+1)))
			}
		case strings.HasSuffix(string(u), "&menu=0"): // the latest ones stand beside each
			_, _ = fmt.Sscanf(string(u), program+"view=article&id=%d", &n)
			for id := range 30 {
				list = append(list, article(id, n+1))
			}
		case strings.Contains(string(u), "view=month"):
			_, _ = fmt.Sscanf(string(u), program+"view=month&month=%d", &n)
			for i := range 40 {
				list = append(list, page.URL(fmt.Sprintf("%sview=day&day=%d", program, 40*n+i)))
			}
			list = append(list, page.URL(fmt.Sprintf("%sview=month&month=%d", program, n+1)))
		}
		return list
	}
	had := map[uint64]bool{}
	fetched := crawl(t, m, program+"view=list&page=0", 2000, text, links, nil)
	for _, u := range fetched {
		if _, rest, ok := strings.Cut(string(u), "&id="); ok {
			id, _, _ := strings.Cut(rest, "&")
			had[number(page.URL(id))] = true
		}
	}
	if len(had) != articles || len(fetched) > 1000 {
		t.Errorf("%d of %d articles, in %d pages", len(had), articles, len(fetched))
	}
}

// TestLeadsOfLongLists: lists lead to articles however many pages it takes to stop a place.
func TestLeadsOfLongLists(t *testing.T) {
	for _, pages := range []int{200, 1000} {
		m := New(Options{Pages: pages})
		address := func(kind string, i int) page.URL {
			return page.URL(fmt.Sprintf("http://a.example/%s/%d", kind, i))
		}
		for i := range 1000 {
			list, article := address("list", i), address("article", i)
			if i >= 150 { // from then on each list is the first to name a new article
				m.Found(article, list)
				m.Learn(article, Features{runs: []uint64{uint64(10*i + 5), uint64(10*i + 6)}}, nil)
			}
			m.Learn(list, Features{runs: []uint64{1, 2}}, nil)
		}
		if x := m.leads(m.places[names(address("list", 1))[0].key]); x < leadsEnough {
			t.Errorf("of a place of %d pages a list leads to %.3f articles", pages, x)
		}
	}
}

// TestSaidLately: the things that were said last are known from a small table as they are from the filters,
// also while the older of these is forgotten.
func TestSaidLately(t *testing.T) {
	var quick, plain said
	r := rand.New(rand.NewPCG(3, 4))
	turned := 0
	for i := range 5_000_000 {
		x := r.Uint64()
		if i%2 == 0 {
			x = uint64(i%6000+1) * wordSeed // what many pages say
		}
		before := quick.set
		plain.last[x%uint64(len(plain.last))] = 0
		if got, want := quick.add(x), plain.add(x); got != want {
			t.Fatalf("%d: new: %v, want %v", i, got, want)
		}
		if quick.set < before {
			turned++
		}
	}
	if turned == 0 {
		t.Error("the filters were never turned")
	}
}
