package delimit

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"
	"pgregory.net/rapid"

	"watershed/page"
	"watershed/sitemap"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// parse makes a web of lines "URL -> TARGET…"; targets are relative to the URL. A line without an
// arrow is a URL with a status.
func parse(t interface{ Fatal(...any) }, text string) *Web {
	w := NewWeb()
	for line := range strings.Lines(text) {
		from, targets, linked := strings.Cut(strings.TrimSpace(line), "->")
		if from = strings.TrimSpace(from); from == "" {
			continue
		}
		v := page.Visit{Status: 200, MIME: "text/html"}
		if !linked {
			if _, err := fmt.Sscanf(from, "%s %d", &from, &v.Status); err != nil {
				t.Fatal(line, err)
			}
		}
		u, err := page.ParseURL(from)
		if err != nil {
			t.Fatal(err)
		}
		v.URL, v.Title = u, "Title of "+string(u)
		for _, ref := range strings.Fields(targets) {
			l := page.Link{Kind: page.Navigation}
			if rest, ok := strings.CutPrefix(ref, "!"); ok {
				ref, l.Kind = rest, page.Embed
			}
			if l.URL, err = u.Resolve(ref); err != nil {
				t.Fatal(err)
			}
			v.Links = append(v.Links, l)
		}
		w.Add(&v, false)
	}
	return w
}

// book is a directory of pages p0, p1, … with a common template: each leads to the index, the one
// before and the one after.
func book(dir string, n int, more string) string { return named(dir, n, more, "p") }

// named is a book whose pages have another name.
func named(dir string, n int, more, p string) string {
	return strings.NewReplacer(" p", " "+p, "/p", "/"+p).Replace(bookText(dir, n, more))
}

func bookText(dir string, n int, more string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s ->", dir)
	for i := range n {
		fmt.Fprintf(&b, " p%d", i)
	}
	fmt.Fprintf(&b, " %s\n", more)
	for i := range n {
		fmt.Fprintf(&b, "%sp%d -> ./ p%d p%d\n", dir, i, (i+1)%n, (i+n-1)%n)
	}
	return b.String()
}

// sites gives, a line each, the entry pages of the sites that are no rests, with their pages and
// what they miss.
func sites(t *testing.T, w *Web, o Options) ([]string, *Result) {
	t.Helper()
	var lines []string
	r, err := w.Delimit(context.Background(), nil, o, func(s *Site) error {
		if s.Rest {
			return nil
		}
		line := fmt.Sprintf("%d %s %d", s.Number, strings.ReplaceAll(fmt.Sprint(s.Seeds), "http://", ""),
			s.Pages)
		for _, m := range s.Missing {
			line += fmt.Sprintf(" misses %s (%v, %d)", m.URL.PathQuery(), m.Why, m.Links)
		}
		lines = append(lines, line)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return lines, r
}

func TestSites(t *testing.T) {
	for _, tt := range []struct {
		name, web string
		want      []string
	}{
		{
			"a host is a site, with its sections",
			book("http://a.example/", 6, "s/p0 s/p1") +
				"http://a.example/s/p0 -> / p1\nhttp://a.example/s/p1 -> / p0\nhttp://a.example/s/p2 -> / " +
				"p1\nhttp://a.example/s/p3 -> / p1\nhttp://a.example/s/p4 -> /",
			[]string{"1 [a.example/] 12"},
		},
		{
			"users, and works on a shelf that nothing leads back to",
			book("http://host.example/~a/", 6, "") + book("http://host.example/~b/", 7, "") +
				book("http://host.example/work/", 8, "") + named("http://host.example/other/", 9, "", "o") +
				"http://host.example/ -> ~a/ ~b/ work/ other/",
			[]string{
				"1 [host.example/other/] 10", "2 [host.example/work/] 9", "3 [host.example/~b/] 8",
				"4 [host.example/~a/] 7",
			},
		},
		{
			"works that cite another are not of one site with it",
			book("http://host.example/a/", 6, "../c/c0") + strings.ReplaceAll(named("http://host.example/b/",
				6, "", "b"), "./ ", "./ ../c/c0 ") + named("http://host.example/c/", 9, "", "c"),
			[]string{"1 [host.example/c/] 10", "2 [host.example/a/] 7", "3 [host.example/b/] 7"},
		},
		{
			"what is tiny on a shelf is no site together",
			book("http://shelf.example/a/", 6, "") + named("http://shelf.example/b/", 7, "", "b") +
				"http://shelf.example/c/x -> y\nhttp://shelf.example/d/u -> v\nhttp://shelf.example/e/w -> " +
				"z\nhttp://shelf.example/f/q -> r\nhttp://shelf.example/g/s -> t\n",
			[]string{"1 [shelf.example/b/] 8", "2 [shelf.example/a/] 7"},
		},
		{
			"what lies scattered on a host is one site",
			"http://host.example/c/x -> y\nhttp://host.example/d/u -> v\nhttp://host.example/e/w -> " +
				"z\nhttp://host.example/f/q -> r\nhttp://host.example/g/s -> t\n",
			[]string{"1 [host.example/] 5 misses /c/y (prefix, 1) misses /d/v (prefix, 1) misses /e/z " +
				"(prefix, 1) misses /f/r (prefix, 1) misses /g/t (prefix, 1)"},
		},
		{
			"versions are one site",
			book("http://host.example/docs/1/", 8, "") + book("http://host.example/docs/2/", 9, "") +
				named("http://host.example/x/", 4, "", "x"),
			[]string{"1 [host.example/docs/] 19", "2 [host.example/x/] 5"},
		},
		{
			"a site on two hosts, and a stranger whom it cites",
			"http://www.site.example/ -> a b c d http://docs.site-project.example/ " +
				"http://stranger.example/p0\n" +
				"http://www.site.example/a -> / b " +
				"http://docs.site-project.example/1\nhttp://www.site.example/b -> / c " +
				"http://docs.site-project.example/2\n" +
				"http://www.site.example/c -> / d " +
				"http://docs.site-project.example/3\nhttp://www.site.example/d -> / a " +
				"http://docs.site-project.example/4\n" +
				"http://docs.site-project.example/ -> 1 2 3 4 5 " +
				"http://www.site.example/\nhttp://docs.site-project.example/1 -> / 2 " +
				"http://www.site.example/a\n" +
				"http://docs.site-project.example/2 -> / 3 " +
				"http://www.site.example/b\nhttp://docs.site-project.example/3 -> / 4 " +
				"http://www.site.example/c\n" +
				"http://docs.site-project.example/4 -> / 5 http://www.site.example/d " +
				"lost\nhttp://docs.site-project.example/5 -> / 1\n" + book("http://stranger.example/", 8, ""),
			[]string{
				"1 [docs.site-project.example/ www.site.example/] 11 misses /lost (prefix, 1)",
				"2 [stranger.example/] 9",
			},
		},
		{
			"what is missing: pages and requisites, but not what failed",
			book("http://a.example/", 6, "lost gone !img.png http://elsewhere.example/") +
				"http://a.example/gone 404\nhttp://a.example/p9 -> lost",
			[]string{"1 [a.example/] 8 misses /img.png (requisite, 1) misses /lost (prefix, 2)"},
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, _ := sites(t, parse(t, tt.web), Options{})
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// A site's entry is what its archive calls a seed.
func TestSeedsAreEntries(t *testing.T) {
	w := parse(t, book("http://a.example/", 6, ""))
	_, err := w.Delimit(context.Background(), []page.URL{"http://a.example/p3", "http://never.example/"},
		Options{}, func(s *Site) error {
			if diff := cmp.Diff([]page.URL{"http://a.example/p3"}, s.Seeds); diff != "" {
				t.Error(diff)
			}
			return nil
		})
	if err != nil {
		t.Fatal(err)
	}
}

// Sites that are given share the pages that both take in: the firmer has them, the other claims
// them.
func TestSitesGiven(t *testing.T) {
	w := parse(t, book("http://a.example/", 6, "x/p0")+book("http://a.example/x/", 6, "../")+
		book("http://b.example/", 2, ""))
	var got []string
	r, err := w.DelimitSites(context.Background(), []sitemap.Site{
		{Name: "all", Seeds: []page.URL{"http://a.example/"}},
		{Name: "part", Seeds: []page.URL{"http://a.example/x/"}},
	}, Options{}, func(s *Site) error {
		got = append(got, fmt.Sprint(s.Number, " ", s.Name, " ", s.Pages, " ", s.Rest, " ", s.Hosts))
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{
		"1 all 14 false [a.example]", "2 part 0 false []",
		"3 rest 3 true [b.example]",
	}, got); diff != "" {
		t.Error(diff)
	}
	if len(r.Claims) == 0 || r.Claims[0].Site != 1 || r.Claims[0].And != 2 {
		t.Errorf("%+v", r.Claims)
	}
	if _, err := w.DelimitSites(context.Background(), []sitemap.Site{{Name: "no seed"}}, Options{},
		nil); err == nil {
		t.Error("a site without a seed")
	}
}

// Every page is of one site, whatever the web; the sites are the same for any number of workers.
func TestPartition(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		hosts := rapid.SliceOfN(rapid.SampledFrom([]string{"a.example", "b.example", "c.example:81"}), 1, 40)
		path := rapid.StringMatching(`([abc]/|~u/){0,3}[pqr]?(\?x=1)?`)
		var text strings.Builder
		urls := []string{}
		for _, h := range hosts.Draw(t, "hosts") {
			urls = append(urls, "http://"+h+"/"+path.Draw(t, "path"))
		}
		captured := map[string]bool{}
		for _, u := range urls {
			fmt.Fprintf(&text, "%s ->", u)
			for range rapid.IntRange(0, 6).Draw(t, "links") {
				text.WriteString(" " + rapid.SampledFrom(append(urls, "http://lost.example/")).Draw(t, "to"))
			}
			text.WriteString("\n")
			captured[u] = true
		}
		w := parse(t, text.String())
		division := func(workers int) (lines []string) {
			pages := map[int]int{}
			r, err := w.Delimit(context.Background(), nil, Options{MinPages: 2, Workers: workers},
				func(s *Site) error {
					pages[s.Number] = s.Pages
					lines = append(lines, fmt.Sprint(s.Number, s.Name, s.Seeds, s.Pages, s.Claims, s.Missing))
					return nil
				})
			if err != nil {
				t.Fatal(err)
			}
			seen := map[page.URL]bool{}
			err = r.Each(func(u page.URL, site int) error {
				if seen[u] || !captured[string(u)] {
					t.Errorf("%s twice, or never captured", u)
				}
				seen[u] = true
				pages[site]--
				lines = append(lines, fmt.Sprint(u, site))
				return nil
			})
			if err != nil || len(seen) != len(captured) {
				t.Errorf("%d of %d pages, %v", len(seen), len(captured), err)
			}
			for k, left := range pages {
				if left != 0 {
					t.Errorf("site %d: %d pages too many", k, left)
				}
			}
			return lines
		}
		if one := division(1); !slices.Equal(one, division(5)) {
			t.Error("the number of workers matters")
		}
	})
}

// A site whose server ignores case was captured in two spellings, of which each links to itself: a
// survey finds both, if the archive tells what copies are.
func TestCopiesAreFolded(t *testing.T) {
	const n = 30
	for _, tt := range []struct {
		name    string
		digests bool
		copies  int
	}{
		{"digests known", true, n},
		{"no digest known", false, 0},
	} {
		w := NewWeb()
		for _, dir := range []string{"http://h.example/registrar/", "http://h.example/Registrar/"} {
			for i := range n {
				v := &page.Visit{
					URL: page.URL(fmt.Sprintf("%sp%d.html", dir, i)), Status: 200,
					MIME: "text/html", Size: 2000,
				}
				if tt.digests {
					v.Digest = page.SumDigest(fmt.Append(nil, i))
				}
				link := func(dir string, to int) {
					v.Links = append(v.Links, page.Link{
						Kind: page.Navigation,
						URL:  page.URL(fmt.Sprintf("%sp%d.html", dir, to%n)),
					})
				}
				link(dir, 0)
				link(dir, i+1)
				link(dir, 2*i+1)
				if i%10 == 0 && dir[len("http://h.example/")] == 'r' {
					link("http://h.example/Registrar/", i)
				}
				w.Add(v, false)
			}
		}
		copies := 0
		given := []sitemap.Site{{Name: "registrar", Seeds: []page.URL{"http://h.example/registrar/p0.html"}}}
		if _, err := w.DelimitSites(context.Background(), given,
			Options{}, func(s *Site) error {
				for i := 0; s.Map != nil && i < s.Map.Members.Len(); i++ {
					if s.Map.Members.At(i).Why == sitemap.WhyCopy {
						copies++
					}
				}
				return nil
			}); err != nil {
			t.Fatal(err)
		}
		if copies != tt.copies {
			t.Errorf("%s: %d copies belong, want %d", tt.name, copies, tt.copies)
		}
	}
}

func TestStops(t *testing.T) {
	w := parse(t, book("http://a.example/", 6, "")+book("http://b.example/", 6, "")+
		book("http://c.example/", 6, ""))
	enough := errors.New("enough")
	if _, err := w.Delimit(context.Background(), nil, Options{}, func(*Site) error {
		return enough
	}); !errors.Is(err, enough) {
		t.Error(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := w.Delimit(ctx, nil, Options{}, func(*Site) error { return nil }); !errors.Is(err,
		context.Canceled) {
		t.Error(err)
	}
	for _, o := range []Options{
		{MinPages: -1},
		{Workers: -1},
		{Survey: sitemap.Options{Alpha: -5}},
	} {
		if _, err := w.Delimit(context.Background(), nil, o, nil); err == nil {
			t.Errorf("%+v is valid", o)
		}
	}
}

func ExampleWeb_Delimit() {
	w := NewWeb()
	for _, u := range []page.URL{
		"http://home.example/~ann/", "http://home.example/~ann/cats",
		"http://home.example/~bob/", "http://home.example/~bob/dogs",
	} {
		v := page.Visit{
			URL: u, Status: 200,
			Links: []page.Link{{URL: u.Root() + u[len(u.Root()):len(u.Root())+5], Kind: page.Navigation}},
		}
		w.Add(&v, false)
	}
	_, err := w.Delimit(context.Background(), nil, Options{MinPages: 2}, func(s *Site) error {
		fmt.Println(s.Name, s.Pages)
		return nil
	})
	if err != nil {
		fmt.Println(err)
	}
	// Output:
	// home.example/~ann/ 2
	// home.example/~bob/ 2
}

// BenchmarkDelimit divides 2,000 sites of 21 pages.
func BenchmarkDelimit(b *testing.B) {
	var text strings.Builder
	for i := range 2000 {
		text.WriteString(book(fmt.Sprintf("http://h%d.example/~u%d/", i%300, i), 20,
			fmt.Sprintf("http://h%d.example/~u%d/", i*7%300, i*7%2000)))
	}
	w := parse(b, text.String())
	for b.Loop() {
		if _, err := w.Delimit(context.Background(), nil, Options{}, func(*Site) error {
			return nil
		}); err != nil {
			b.Fatal(err)
		}
	}
}
