package sitemap

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"watershed/page"
)

// section writes pages 1 to n of a directory: a ring with chords, whose entry page, 0, links to
// all. Each page has some more links.
func section(base string, n int, more ...string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s -> ", base)
	for p := range n {
		fmt.Fprintf(&b, "%d.html ", p+1)
	}
	b.WriteString(strings.Join(more, " ") + "\n")
	for p := range n {
		fmt.Fprintf(&b, "%s%d.html -> . %d.html %d.html %s\n", base, p+1, (p+1)%n+1, (p+3)%n+1,
			strings.Join(more, " "))
	}
	return b.String()
}

// group is a section as a group of an organisation has it, with the home page and its sponsor on each
// page.
func group(base string, n int) string { return section(base, n, "/", "http://sponsor.example/") }

// sections are directories of the campus with 20 pages each, all of which name all of them, a page of
// each, and the home page.
func sections(dirs ...string) string {
	all := "/ /" + strings.Join(dirs, " /") + " /" + strings.Join(dirs, "1.html /") + "1.html"
	text := strings.ReplaceAll(campus, "-> ", "-> "+all+" ")
	for _, dir := range dirs {
		text += section("http://www.campus.example/"+dir, 20, all)
	}
	return text
}

// numbered writes a line for each number from 1 to n.
func numbered(n int, line string) string {
	var b strings.Builder
	for p := range n {
		fmt.Fprintf(&b, line+"\n", p+1)
	}
	return b.String()
}

// campus is a host with pages of its own, which link to each other, and what others keep there.
const campus = `
http://www.campus.example/          -> news.html staff.html groups.html map.html
http://www.campus.example/news.html -> . staff.html groups.html map.html
http://www.campus.example/map.html  -> . news.html staff.html groups.html
http://www.campus.example/staff.html -> . news.html groups.html map.html
`

// TestWhoseSiteIsIt: what an entry page's host holds is one site or several, and which it is shows
// in the links.
func TestWhoseSiteIsIt(t *testing.T) {
	const seed = "http://www.campus.example/"
	listed := func(wards ...string) string {
		return campus + "http://www.campus.example/groups.html -> . news.html staff.html map.html " +
			strings.Join(wards, " ") + "\n"
	}
	const eight = "/ /a/ /b/ /c/ /d/ /e/ /f/ /g/ /h/"
	const hosts = "http://www.name.example/ http://docs.name.example/ http://forum.name.example/ " +
		"http://blog.name.example/"
	for _, c := range []struct {
		name    string
		web     string
		seed    page.URL
		also    []page.URL // more seeds
		in, out []string   // directories
	}{
		{
			name: "an organisation's home page, and groups that are listed on one page and link home",
			web:  listed("rivers/", "stars/") + group(seed+"rivers/", 20) + group(seed+"stars/", 20),
			in:   []string{""}, out: []string{"rivers/", "stars/"},
		},
		{
			name: "exhibitions that are listed on one page, name the home page and cite hardly anyone",
			web: listed("rivers/", "stars/") +
				section(seed+"rivers/", 20, "/") + section(seed+"stars/", 20, "/") +
				numbered(4, seed+"stars/%[1]d.html -> . / 9.html http://%[1]d.example/"),
			in: []string{"", "rivers/", "stars/"},
		},
		{
			name: "classes of a school, of which the entry pages alone name the home page",
			web: listed("rivers/", "stars/") +
				section(seed+"rivers/", 20) + seed + "rivers/ -> / 1.html 5.html 9.html 13.html 17.html\n" +
				section(seed+"stars/", 20) + seed + "stars/ -> / 1.html 5.html 9.html 13.html 17.html\n",
			in: []string{"", "rivers/", "stars/"},
		},
		{
			name: "branches of a party, three of ten pages of which cite someone",
			web: listed("rivers/", "stars/") +
				section(seed+"rivers/", 20, "/") + section(seed+"stars/", 20, "/") +
				numbered(6, seed+"rivers/%[1]d.html -> . / 9.html http://r%[1]d.example/") +
				numbered(6, seed+"stars/%[1]d.html -> . / 9.html http://s%[1]d.example/"),
			in: []string{"", "rivers/", "stars/"},
		},
		{
			name: "groups of which a little more than a third of the pages cite someone",
			web: listed("rivers/", "stars/") +
				section(seed+"rivers/", 40, "/") + section(seed+"stars/", 40, "/") +
				numbered(14, seed+"rivers/%[1]d.html -> . / 9.html http://r%[1]d.example/") +
				numbered(14, seed+"stars/%[1]d.html -> . / 9.html http://s%[1]d.example/"),
			in: []string{""}, out: []string{"rivers/", "stars/"},
		},
		{
			name: "exhibitions whose pages cite whom the museum's own pages cite",
			web: strings.ReplaceAll(listed("rivers/", "stars/"), "-> ", "-> http://sponsor.example/ ") +
				group(seed+"rivers/", 20) + group(seed+"stars/", 20),
			in: []string{"", "rivers/", "stars/"},
		},
		{
			name: "a former site, of which the entry page alone names the home page",
			web: section(seed, 20) + seed + "7.html -> . 8.html alt/\n" + section(seed+"alt/", 20) +
				seed + "alt/ -> / 1.html 5.html 9.html 13.html 17.html\n",
			in: []string{"", "alt/"},
		},
		{
			name: "users of a host that link to nothing of it, all of them listed on the home page",
			web: seed + " -> ~ada/ ~bela/ ~cleo/\n" + section(seed+"~ada/", 20) + section(seed+"~bela/",
				20) + section(seed+"~cleo/", 20),
			in: nil, out: []string{"~ada/", "~bela/", "~cleo/"},
		},
		{
			name: "tenants that no tilde gives away, below directories without pages",
			web: listed("doc/x/", "pub/mirror/y/") + section(seed+"doc/x/", 20) +
				section(seed+"pub/mirror/y/", 20),
			in: []string{""}, out: []string{"doc/x/", "pub/mirror/y/"},
		},
		{
			name: "sections that are in the navigation of every page",
			web: strings.ReplaceAll(listed("guide/", "api/"), "-> ", "-> guide/ api/ ") +
				section(seed+"guide/", 100, "/", "/news.html") + section(seed+"api/", 100, "/", "/news.html"),
			in: []string{"", "guide/", "api/"},
		},
		{
			name: "large sections that share five pages with what is in front, each way",
			web: section(seed, 20) + section(seed+"guide/", 100) + section(seed+"api/", 100) +
				numbered(6, seed+"%[1]d.html -> . guide/%[1]d.html api/%[1]d.html") +
				numbered(6, seed+"guide/%[1]d.html -> . 50.html /%[1]d.html") +
				numbered(6, seed+"api/%[1]d.html -> . 50.html /%[1]d.html"),
			in: []string{"", "guide/", "api/"},
		},
		{
			name: "sections that are listed once and link to each other's pages",
			web: seed + " -> about.html guide/ api/\n" + seed + "about.html -> .\n" +
				section(seed+"guide/", 20, "../api/1.html", "../api/2.html", "../api/3.html", "../api/4.html",
					"../api/5.html", "../api/6.html") +
				section(seed+"api/", 20, "../guide/7.html"),
			in: []string{"", "guide/", "api/"},
		},
		{
			name: "a door with one work behind it, which links to nothing in front",
			web: seed + " -> news.html map.html work/\n" + seed + "news.html -> .\n" + seed +
				"map.html -> .\n" + section(seed+"work/", 40),
			in: []string{"", "work/"},
		},
		{
			name: "a door with two languages of one work behind it",
			web: seed + " -> news.html map.html en/ de/\n" + seed + "news.html -> .\n" + seed +
				"map.html -> .\n" + section(seed+"en/", 40) + section(seed+"de/", 40),
			in: []string{"", "en/", "de/"},
		},
		{
			name: "knit pages in front of a work that the entry page names, which links to none of them",
			web:  section(seed, 20) + seed + " -> 1.html 2.html work/\n" + section(seed+"work/", 40),
			in:   []string{"", "work/"},
		},
		{
			name: "knit pages in front of two versions of one work, listed on one of them",
			web: section(seed, 20) + seed + "7.html -> . 8.html tool-2.1/ tool-3.0rc1/\n" +
				section(seed+"tool-2.1/", 30) + section(seed+"tool-3.0rc1/", 40),
			in: []string{"", "tool-2.1/", "tool-3.0rc1/"},
		},
		{
			name: "an older edition of the chapters in front, beside a stranger",
			web: section(seed, 20) + seed + "7.html -> . 8.html 2018-edition/ rivers/\n" +
				section(seed+"2018-edition/", 20) + group(seed+"rivers/", 20),
			in: []string{"", "2018-edition/"}, out: []string{"rivers/"},
		},
		{
			name: "a festival a year, of which each names the one before alone",
			web: seed + " -> 2022/\n" + section(seed+"2020/", 20, "/") +
				strings.Replace(section(seed+"2022/", 20, "/"), "-> ", "-> /2021/ ", 1) +
				strings.Replace(section(seed+"2021/", 20, "/"), "-> ", "-> /2020/ ", 1),
			in: []string{"", "2022/", "2021/", "2020/"},
		},
		{
			name: "languages with names of their own, which link to nothing in front, beside strangers",
			web: listed("en/", "de/", "rivers/", "stars/") + seed + "en/ -> pages/\n" +
				seed + "de/ -> seiten/\n" + section(seed+"en/pages/", 20) +
				section(seed+"de/seiten/", 20) + section(seed+"rivers/", 20) + section(seed+"stars/", 20),
			in: []string{"", "en/", "en/pages/", "de/", "de/seiten/"}, out: []string{"rivers/", "stars/"},
		},
		{
			name: "subjects of a forum that name nothing but each other, drawn by the forum's style sheet",
			web: strings.ReplaceAll(listed("t/one/", "t/two/"), "-> ", "-> i=/forum.css i=/logo.png ") +
				section(seed+"t/one/", 20, "i=/forum.css", "i=/one.png") +
				section(seed+"t/two/", 20, "i=/forum.css", "i=/two.png"),
			in: []string{"", "t/one/", "t/two/"},
		},
		{
			name: "volumes that name nothing but each other, each with a style sheet of the one before",
			web: strings.ReplaceAll(listed("b/", "a/", "c/"), "-> ", "-> i=/1.css ") +
				section(seed+"a/", 20, "i=/1.css", "i=/2.css") +
				section(seed+"b/", 20, "i=/2.css", "i=/3.css") +
				section(seed+"c/", 20, "i=/3.css", "i=/4.css"),
			in: []string{"", "a/", "b/", "c/"},
		},
		{
			name: "users whose pages have a platform's script, or its style sheet beside their own",
			web: strings.ReplaceAll(listed("rivers/", "stars/"), "-> ", "-> i=/host.css i=/ads.js ") +
				section(seed+"rivers/", 20, "i=/ads.js", "i=a.css") +
				section(seed+"stars/", 20, "i=/host.css", "i=b.css", "i=b.png", "i=b.js"),
			in: []string{""}, out: []string{"rivers/", "stars/"},
		},
		{
			name: "users' homes that the host draws as its own page",
			web: strings.ReplaceAll(listed("~ann/", "~bob/"), "-> ", "-> i=/host.css ") +
				section(seed+"~ann/", 20, "i=/host.css") + section(seed+"~bob/", 20, "i=/host.css"),
			in: []string{""}, out: []string{"~ann/", "~bob/"},
		},
		{
			name: "users whose pages a platform draws alike, and not as its own",
			web: strings.ReplaceAll(listed("rivers/", "stars/"), "-> ", "-> i=/host.css ") +
				section(seed+"rivers/", 20, "i=/user.css") + section(seed+"stars/", 20, "i=/user.css"),
			in: []string{""}, out: []string{"rivers/", "stars/"},
		},
		{
			name: "two teams of two letters on an organisation's host",
			web:  listed("kx/", "vq/") + group(seed+"kx/", 20) + group(seed+"vq/", 20),
			in:   []string{""}, out: []string{"kx/", "vq/"},
		},
		{
			name: "manuals below a directory that was given, which link to nothing in front",
			web: strings.ReplaceAll(listed("guide/", "api/"), ".example/", ".example/doc/") +
				section(seed+"doc/guide/", 20) + section(seed+"doc/api/", 20),
			seed: seed + "doc/",
			in:   []string{"doc/", "doc/guide/", "doc/api/"},
		},
		{
			name: "a tenant is not taken apart, nor does it take in its host",
			web: listed("rivers/", "stars/") + section(seed+"rivers/", 20, "/", "deltas/") +
				section(seed+"rivers/deltas/", 10, "..") + section(seed+"stars/", 20, "/"),
			seed: seed + "rivers/",
			in:   []string{"rivers/", "rivers/deltas/"}, out: []string{"", "stars/"},
		},
		{
			name: "a section whose pages name all sections, and are named by these",
			web:  sections("sport/", "arts/", "world/"),
			seed: seed + "sport/",
			in:   []string{"sport/"}, out: []string{"", "arts/", "world/"},
		},
		{
			name: "the same, and a wiki of the section's own",
			web: sections("arts/", "world/", "sport/") + section(seed+"wiki/sport/", 20, "/sport/") +
				section(seed+"sport/", 20, "/", "/arts/", "/world/", "/wiki/sport/"),
			seed: seed + "sport/",
			in:   []string{"sport/", "wiki/sport/"}, out: []string{"", "arts/", "world/"},
		},
		{
			name: "three of eight sections, each of which names a page more of the next",
			web: strings.ReplaceAll(campus, "-> ", "-> "+eight+" ") +
				section(seed+"a/", 20, eight, "/b/1.html") + section(seed+"b/", 20, eight, "/c/2.html") +
				section(seed+"c/", 20, eight, "/d/3.html") + section(seed+"d/", 20, eight, "/e/4.html") +
				section(seed+"e/", 20, eight, "/f/5.html") + section(seed+"f/", 20, eight, "/g/6.html") +
				section(seed+"g/", 20, eight, "/h/7.html") + section(seed+"h/", 20, eight, "/a/8.html"),
			seed: seed + "a/", also: []page.URL{seed + "c/", seed + "e/"},
			in: []string{"a/", "c/", "e/"}, out: []string{"", "b/", "d/", "f/", "g/", "h/"},
		},
		{
			name: "parts that name each other and the root page, which names the seed's alone",
			web: seed + " -> app/\n" + section(seed+"app/", 20, "/ /docs/ /blog/") +
				section(seed+"docs/", 20, "/ /app/ /blog/") + section(seed+"blog/", 20, "/ /app/ /docs/"),
			seed: seed + "app/",
			in:   []string{"", "app/", "docs/", "blog/"},
		},
		{
			name: "the same with hosts, two of which the portal names",
			web: "http://www.name.example/ -> http://docs.name.example/ http://forum.name.example/\n" +
				section("http://docs.name.example/", 20, hosts) +
				section("http://forum.name.example/", 20, hosts) +
				section("http://blog.name.example/", 20, hosts),
			seed: "http://docs.name.example/",
			in: []string{
				"http://www.name.example/", "http://docs.name.example/", "http://forum.name.example/",
				"http://blog.name.example/",
			},
		},
		{
			name: "a campaign that six pages of its organisation name, and that names it on all",
			web: section(seed, 40) + seed + " -> 9.html 20.html act/\n" +
				numbered(6, seed+"%[1]d.html -> . 9.html act/") +
				section(seed+"act/", 12, "/"),
			seed: seed + "act/",
			in:   []string{"act/"}, out: []string{""},
		},
		{
			name: "languages in place of sections",
			web:  sections("en/", "de/", "fr/"),
			seed: seed + "en/",
			in:   []string{"", "en/", "de/", "fr/"},
		},
		{
			name: "versions in place of sections",
			web:  sections("2.1/", "2.2/", "3.0/"),
			seed: seed + "2.1/",
			in:   []string{"2.1/"}, out: []string{"", "2.2/", "3.0/"},
		},
		{
			name: "a group, and users of the host who all name it and are named by it",
			web: campus + strings.Replace(section(seed+"rivers/", 20), "-> ", "-> /~ann/ /~bob/ /~cid/ ", 1) +
				section(seed+"~ann/", 8, "/rivers/") + section(seed+"~bob/", 8, "/rivers/") +
				section(seed+"~cid/", 8, "/rivers/"),
			seed: seed + "rivers/",
			in:   []string{"rivers/"}, out: []string{"~ann/", "~bob/", "~cid/"},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			if c.seed == "" {
				c.seed = seed
			}
			w := parseWeb(t, c.web)
			_, m := w.surveyed(t, Site{Seeds: append(c.also, c.seed)}, Options{})
			want := []string{schemeless(c.seed)}
			for u := range w {
				if slices.Contains(c.in, strings.TrimPrefix(u.Directory(), seed)) && u != c.seed {
					want = append(want, schemeless(u))
				}
			}
			slices.Sort(want)
			if diff := cmp.Diff(want, members(m)); diff != "" {
				t.Error(diff)
			}
			if !m.Converged {
				t.Error("not converged")
			}
			for _, dir := range c.out {
				if e := m.Explain(page.URL(seed + dir)); e.Inside {
					t.Errorf("%s: %v", dir, e)
				}
			}
		})
	}
}

// TestPageOfASection: who gives a page from the middle does not say that its directory is meant; and a
// section that a rule takes in brings no other.
func TestPageOfASection(t *testing.T) {
	w := parseWeb(t, sections("sport/", "arts/", "world/", "local/"))
	const host = "http://www.campus.example/"
	w[host+"sport/index.html"] = w[host+"sport/"]
	for _, c := range []struct {
		seed        page.URL
		include     string
		arts, world bool
	}{
		{host + "sport/", "", false, false},
		{host + "sport/", "prefix:" + host + "arts/", true, false},
		{host + "sport/index.html", "", false, false},
		{host + "sport/7.html", "", true, true},
	} {
		site := Site{Seeds: []page.URL{c.seed}}
		if c.include != "" {
			rule, err := page.ParseRule(c.include)
			if err != nil {
				t.Fatal(err)
			}
			site.Include = []page.Rule{rule}
		}
		_, m := w.surveyed(t, site, Options{})
		arts, world := m.Explain(host+"arts/").Inside, m.Explain(host+"world/").Inside
		if arts != c.arts || world != c.world {
			t.Errorf("%s, include %q: arts %v, world %v", c.seed, c.include, arts, world)
		}
	}
}

// TestForeignWardsCostFewFetches: a tenant is sampled, not crawled, however large it is.
func TestForeignWardsCostFewFetches(t *testing.T) {
	const seed = "http://www.campus.example/"
	text := campus + "http://www.campus.example/groups.html -> . news.html staff.html map.html"
	for k := range 5 {
		text += fmt.Sprintf(" g%d/", k)
	}
	text += "\n"
	for k := range 5 {
		text += group(fmt.Sprintf("%sg%d/", seed, k), 300)
	}
	w := parseWeb(t, text)
	s, err := NewSurvey([]Site{{Name: "site", Seeds: []page.URL{seed}}}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	visited := w.crawl(s)
	if most := 5 + 5*8; len(visited) > most {
		t.Errorf("%d visits, want %d at most", len(visited), most)
	}
	m, _ := s.Map("site")
	if m.Members.Len() != 5 {
		t.Errorf("members: %v", members(m))
	}
	i := slices.IndexFunc(m.Blocks, func(b Block) bool { return b.Name == "www.campus.example/g3/" })
	if i < 0 || m.Blocks[i].Why != "below the seed's directory, but a site of its own" {
		t.Errorf("blocks: %+v", m.Blocks)
	}
	if _, whole := w.surveyed(t, Site{Seeds: []page.URL{seed}},
		Options{WardSample: -1}); whole.Members.Len() != len(w) {
		t.Errorf("undivided, the prefix has %d of %d pages", whole.Members.Len(), len(w))
	}
}

// TestTenantsThatTheHomePageLists: that a home page names its tenants, and each of their pages leads
// back to it, is what a list of tenants and their template do.
func TestTenantsThatTheHomePageLists(t *testing.T) {
	const seed = "http://www.campus.example/"
	text := strings.Replace(campus, "map.html\n", "map.html g0/ g1/ g2/\n", 1)
	for k := range 3 {
		text += group(fmt.Sprintf("%sg%d/", seed, k), 20)
	}
	_, m := parseWeb(t, text).surveyed(t, Site{Seeds: []page.URL{seed}}, Options{})
	for _, u := range members(m) {
		if strings.Contains(u, "/g") {
			t.Errorf("%s belongs", u)
		}
	}
}

// TestSiteOnSeveralHosts: that the pages of its sections name the site's other hosts does not make
// these sections sites of their own.
func TestSiteOnSeveralHosts(t *testing.T) {
	g := generate(append([]int{600}, paretoSizes(600, 150, 3)...), 5)
	s, err := g.survey(Options{}, 0)
	if err != nil {
		t.Fatal(err)
	}
	for wants := s.Wants(); len(wants) > 0; wants = s.Wants() {
		for _, w := range wants {
			var v page.Visit
			g.visit(g.find(w.URL), &v)
			s.Learn(&v)
		}
	}
	m, _ := s.Map("0")
	if n := m.Members.Len(); n < 570 { // some pages are gone
		t.Errorf("%d members of 600 pages", n)
	}
}

// TestNestedSeeds: what waited for its ward is asked for once a second seed makes that ward's
// directory a prefix.
func TestNestedSeeds(t *testing.T) {
	const seed = "http://www.campus.example/"
	w := parseWeb(t, seed+" -> rivers/\n"+section(seed+"rivers/", 20))
	_, m := w.surveyed(t, Site{Seeds: []page.URL{seed, seed + "rivers/"}}, Options{})
	for _, x := range m.Members.All() {
		if x.State != "fetched" {
			t.Errorf("%s is %s", x.URL, x.State)
		}
	}
	if m.Members.Len() != len(w) {
		t.Errorf("%d of %d pages", m.Members.Len(), len(w))
	}
}

// TestRulesTieWards: what the archivist includes is inside, though a ward of strangers holds it.
func TestRulesTieWards(t *testing.T) {
	const seed = "http://www.campus.example/"
	w := parseWeb(t,
		campus+"http://www.campus.example/groups.html -> . news.html staff.html map.html rivers/ stars/ "+
			"moons/\n"+section(seed+"rivers/", 20, "/")+group(seed+"stars/", 20)+group(seed+"moons/", 20))
	_, m := w.surveyed(t, Site{
		Seeds:   []page.URL{seed},
		Include: []page.Rule{mustRule(t, "prefix:"+seed+"stars/")},
	}, Options{})
	if e := m.Explain(seed + "stars/7.html"); !e.Inside || e.Why != WhyRule {
		t.Errorf("included: %v", e)
	}
	_, m = w.surveyed(t, Site{Seeds: []page.URL{seed, seed + "rivers/"}}, Options{})
	if e := m.Explain(seed + "rivers/7.html"); !e.Inside || e.Why != WhyPrefix {
		t.Errorf("second seed: %v", e)
	}
	if e := m.Explain(seed + "stars/7.html"); e.Inside {
		t.Errorf("stranger: %v", e)
	}
	for u, v := range w { // another place stands for all that was asked for there
		if strings.HasPrefix(string(u), seed+"stars/") {
			v.Status, v.Cause = page.StatusBlocked, "collection"
		}
	}
	_, m = w.surveyed(t, Site{Seeds: []page.URL{seed, seed + "rivers/"}}, Options{})
	if left := m.LeftBelow(); len(left) != 1 || left[0].Name != "www.campus.example/moons/" {
		t.Errorf("copies, left below: %v", left)
	}
}

// TestPartiesAreLinear: four times as many directories of a host cost four times as much to tell
// whose they are, and not sixteen times. They have numbers for names, and no ties to the core or to
// each other.
func TestPartiesAreLinear(t *testing.T) {
	for _, c := range []struct {
		name string
		page func(dir, n int) string
	}{
		{"pages of other names", func(dir, n int) string { return fmt.Sprintf("page-%d-%d.html", dir, n) }},
		{"pages of the same names", func(_, n int) string { return fmt.Sprintf("page-%d.html", n) }},
	} {
		cost := func(dirs int) float64 {
			s, err := NewSurvey([]Site{{
				Name: "S", Seeds: []page.URL{"http://h.example/"}, Boundary: Logical,
			}}, Options{})
			if err != nil {
				t.Fatal(err)
			}
			at := func(dir, n int) page.URL {
				return page.URL(fmt.Sprintf("http://h.example/section-%d/%s", dir, c.page(dir, n)))
			}
			root := page.Visit{URL: "http://h.example/", Status: 200}
			for dir := range dirs {
				root.Links = append(root.Links, page.Link{URL: at(dir, 0), Kind: page.Navigation})
			}
			core := func(n int) page.URL { return page.URL(fmt.Sprintf("http://h.example/core-%d.html", n)) }
			root.Links = append(root.Links, page.Link{URL: core(0), Kind: page.Navigation})
			s.Learn(&root)
			for n := range 10 {
				s.Learn(&page.Visit{URL: core(n), Status: 200, Links: []page.Link{
					{URL: core((n + 1) % 10), Kind: page.Navigation},
				}})
			}
			for n := range 6 {
				for dir := range dirs {
					v := page.Visit{URL: at(dir, n), Status: 200}
					for _, to := range []page.URL{at(dir, (n+1)%6), at(dir, (n+2)%6)} {
						v.Links = append(v.Links, page.Link{URL: to, Kind: page.Navigation})
					}
					s.Learn(&v)
				}
			}
			b := s.sites[0]
			b.unsettle()
			b.resettle(true)
			w := b.wards.divide(b.last)
			if len(w.list) != dirs+1 {
				t.Fatalf("%d wards of %d directories", len(w.list)-1, dirs)
			}
			return testing.AllocsPerRun(1, func() { b.wards.parties(b.last, b.wards.divide(b.last)) })
		}
		small, large := cost(100), cost(400)
		if large > 6*small {
			t.Errorf("%s: %.0f allocations for 100 directories, %.0f for 400", c.name, small, large)
		}
	}
}
