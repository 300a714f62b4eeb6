package sitemap

import (
	"cmp"
	"fmt"
	"strings"
	"testing"

	"watershed/page"
)

// builder makes a web link by link.
type builder struct {
	t testing.TB
	w testWeb
}

// page adds links to a page, which is made if need be.
func (b builder) page(u page.URL, links ...string) *page.Visit {
	b.t.Helper()
	v := b.w[u]
	if v == nil {
		v = &page.Visit{URL: u, Status: 200, MIME: "text/html"}
		b.w[u] = v
	}
	for _, ref := range links {
		kind := page.Navigation
		if rest, ok := strings.CutPrefix(ref, "!"); ok {
			kind, ref = page.Embed, rest
		}
		to, err := u.Resolve(ref)
		if err != nil {
			b.t.Fatal(err)
		}
		v.Links = append(v.Links, page.Link{URL: to, Kind: kind})
	}
	return v
}

// site adds n pages p0, p1, … below a directory, each with links to the index and its neighbours.
func (b builder) site(dir string, n int) {
	b.page(page.URL(dir))
	for i := range n {
		b.page(page.URL(dir), fmt.Sprintf("p%d", i))
		b.page(page.URL(fmt.Sprintf("%sp%d", dir, i)), "./", fmt.Sprintf("p%d", (i+1)%n),
			fmt.Sprintf("p%d", (i+n-1)%n))
	}
}

// documents adds n documents below a directory, each with a link from a page of the site at from.
func (b builder) documents(from string, pages int, dir string, n int) {
	for i := range n {
		u := page.URL(fmt.Sprintf("%sfile%d.pdf", dir, i))
		b.w[u] = &page.Visit{URL: u, Status: 200, MIME: "application/pdf"}
		b.page(page.URL(fmt.Sprintf("%sp%d", from, i%pages)), string(u))
	}
}

// rented is the case of storage that many rent, beside documents that are cited. It gives the web
// and the documents of the site.
func rented(t testing.TB) (w testWeb, own []string) {
	b := builder{t, testWeb{}}
	const home, other, third = "http://www.museum.example/", "http://www.gallery.example/",
		"http://www.academy.example/"
	for _, dir := range []string{home, other, third} {
		b.site(dir, 30)
	}
	// A bucket with a name of its own; its root is forbidden. It shows pictures besides.
	b.documents(home, 30, "https://museum-scans.storage.example/", 25)
	b.w["https://museum-scans.storage.example/"] = &page.Visit{
		URL:    "https://museum-scans.storage.example/",
		Status: 403,
	}
	b.page(home+"p3", "!https://museum-scans.storage.example/logo.png")
	own = append(own, "https://museum-scans.storage.example/file")
	// A bucket that is a directory; the root takes visitors to the provider, and another has rented
	// the next directory, of which the site cites three documents.
	b.documents(home, 30, "https://buckets.example/m81/", 9)
	b.documents(other, 30, "https://buckets.example/g22/", 9)
	for i := range 3 {
		b.page(home+"p1", fmt.Sprintf("https://buckets.example/g22/file%d.pdf", i))
	}
	b.w["https://buckets.example/"] = &page.Visit{
		URL: "https://buckets.example/", Status: 302,
		Links: []page.Link{{URL: "https://www.provider.example/", Kind: page.Redirect}},
	}
	b.page("https://www.provider.example/", "prices")
	own = append(own, "https://buckets.example/m81/file")
	// Three documents of the site that lie alone on a host.
	b.documents(home, 30, "http://elsewhere.example/", 3)
	own = append(own, "http://elsewhere.example/file")
	// Citations: of a publisher with a site that leads to them, of one whose site is above the
	// directory of the documents, of few documents on a host that has pages.
	for _, cited := range []struct{ site, documents string }{
		{"http://journal.example/", "http://journal.example/"},
		{"http://institute.example/", "http://institute.example/pub/pdf/"},
	} {
		b.documents(home, 30, cited.documents, 12)
		b.documents(cited.site, 5, cited.documents, 12)
		b.site(cited.site, 5)
	}
	b.documents(home, 30, "http://library.example/annual/", 3)
	b.site("http://library.example/", 5)
	// A network that serves one file to everybody: the museum cites others that cite it too.
	b.documents(home, 30, "http://cdn.example/", 8)
	for i := range 8 {
		for j := range 8 {
			b.page(page.URL(fmt.Sprintf("%sp%d", other, i)), fmt.Sprintf("http://cdn.example/file%d.pdf", j))
		}
		b.page(page.URL(fmt.Sprintf("%sp%d", home, i)), fmt.Sprintf("%sp%d", other, i))
	}
	return b.w, own
}

// Documents on rented storage belong to the site that alone leads to them; of all others none does.
func TestBuckets(t *testing.T) {
	w, own := rented(t)
	belongs := func(u page.URL) bool {
		for _, prefix := range own {
			if strings.HasPrefix(string(u), prefix) {
				return true
			}
		}
		return false
	}
	truth := 0
	for u := range w {
		truth += b2i(belongs(u))
	}
	for _, tt := range []struct {
		name              string
		options           Options
		precision, recall float64
		most              int // documents of others that are fetched
	}{
		{"without", Options{Documents: -1}, 1, 0, 24},
		{"with", Options{}, 1, 1, 24},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s, err := NewSurvey([]Site{{Name: "museum", Seeds: []page.URL{"http://www.museum.example/"}}},
				tt.options)
			if err != nil {
				t.Fatal(err)
			}
			foreign := 0
			for _, u := range w.crawl(s) {
				foreign += b2i(u.NamesDocument() && !belongs(u))
			}
			m, _ := s.Map("museum")
			found, right := 0, 0
			for _, x := range m.Members.All() {
				if x.URL.NamesDocument() && x.State == "fetched" {
					found++
					right += b2i(belongs(x.URL))
				}
			}
			precision, recall := float64(right)/float64(max(1, found)), float64(right)/float64(truth)
			if found == 0 {
				precision = 1
			}
			t.Logf("precision %.3f, recall %.3f, %d documents of others fetched", precision, recall, foreign)
			if precision != tt.precision || recall != tt.recall || foreign > tt.most {
				t.Errorf("precision %.3f, recall %.3f, %d documents of others fetched; want %v, %v and "+
					"at most %d", precision, recall, foreign, tt.precision, tt.recall, tt.most)
			}
			if !m.Converged {
				t.Error("the survey has not come to an end")
			}
		})
	}
}

// TestDocuments: documents that a site alone leads to belong, wherever they lie; those of others do
// not, and few pages are read to tell.
func TestDocuments(t *testing.T) {
	const home, there, gallery = "http://www.museum.example/", "http://files.depot.example/",
		"http://www.gallery.example/"
	leads := func(b builder, site string, n int, documents []string) {
		b.site(site, n)
		for i, x := range documents {
			b.page(page.URL(fmt.Sprintf("%sp%d", site, i%n)), x)
		}
	}
	for _, tt := range []struct {
		name  string
		n     int    // documents
		at    string // their addresses
		mime  string // else that of PDF
		build func(b builder, documents []string)
		want  int // that belong
		most  int // other pages that are asked for
	}{
		{name: "alone", n: 24, at: there + "f%d.pdf", want: 24, most: 1},
		{name: "one", n: 1, at: there + "f%d.pdf", want: 1, most: 1},
		{name: "no extension", n: 24, at: there + "get?id=%d", want: 24, most: 1},
		{name: "sound", n: 24, at: there + "%d.m4a", mime: "audio/mp4", want: 24, most: 1},
		{
			name: "office", n: 24, at: there + "%d.docx", want: 24, most: 1,
			mime: "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
		},
		{
			name: "below a greeting", n: 24, at: there + "f%d.pdf", want: 24, most: 1,
			build: func(b builder, _ []string) { b.page(there) },
		},
		{
			name: "in a listing", n: 24, at: there + "f%d.pdf", want: 24, most: 1,
			build: func(b builder, d []string) { b.page(there, append(d, "?C=M;O=A", "old/")...) },
		},
		{
			name: "in a listing in XML", n: 24, at: there + "f%d.pdf", want: 24, most: 1,
			build: func(b builder, _ []string) { b.page(there).MIME = "application/xml" },
		},
		{
			name: "beside a site that does not lead there",
			n:    24, at: there + "x/y/f%d.pdf", want: 24, most: 6,
			build: func(b builder, _ []string) { b.site(there, 10) },
		},
		{
			name: "beside the seed's directory", n: 24, at: home + "files/f%d.pdf", want: 24, most: 6,
			build: func(b builder, _ []string) { b.site(home, 6) },
		},
		{
			name: "of the site there", n: 24, at: there + "x/y/f%d.pdf", want: 0, most: 9,
			build: func(b builder, d []string) { leads(b, there, 10, d) },
		},
		{
			name: "cited", n: 3, at: there + "x/y/f%d.pdf", want: 0, most: 6,
			build: func(b builder, _ []string) { b.site(there, 10) },
		},
		{
			name: "of a second site", n: 24, at: there + "f%d.pdf", want: 0, most: 6,
			build: func(b builder, d []string) {
				leads(b, gallery, 12, d)
				for i := range 12 {
					b.page(page.URL(fmt.Sprintf("%sm/p%d", home, i)), fmt.Sprintf("%sp%d", gallery, i))
				}
			},
		},
		{
			name: "gone", n: 24, at: there + "f%d.pdf", want: 0, most: 3,
			build: func(b builder, d []string) {
				for _, x := range d {
					b.w[page.URL(x)].Status = 404
				}
			},
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			b := builder{t, testWeb{}}
			const seed = home + "m/"
			var documents []string
			for i := range tt.n {
				documents = append(documents, fmt.Sprintf(tt.at, i))
				b.page(page.URL(documents[i])).MIME = cmp.Or(tt.mime, "application/pdf")
			}
			leads(b, seed, 12, documents)
			if tt.build != nil {
				tt.build(b, documents)
			}
			s, m := b.w.surveyed(t, Site{Name: "site", Seeds: []page.URL{seed}}, Options{})
			got, others := 0, 0
			for _, x := range documents {
				got += b2i(m.Explain(page.URL(x)).Why == WhyDocument)
			}
			for p := range s.sites[0].places {
				others += b2i(s.sites[0].places[p].is(isAnswered) && !s.sites[0].belongs(uint32(p)))
			}
			if got != tt.want || others > tt.most || !m.Converged {
				t.Errorf("%d of %d documents belong, want %d; %d other pages were asked for, want %d at "+
					"most; converged: %v", got, tt.n, tt.want, others, tt.most, m.Converged)
			}
		})
	}
}

// TestMostCited: of documents on a host with a site of its own a site takes in mostCited at most.
func TestMostCited(t *testing.T) {
	b := builder{t, testWeb{}}
	b.site("http://www.museum.example/", 12)
	b.documents("http://www.museum.example/", 12, "http://library.example/x/", mostCited+50)
	b.site("http://library.example/", 10)
	site := Site{Seeds: []page.URL{"http://www.museum.example/"}}
	_, m := b.w.surveyed(t, site, Options{Kinship: -1}) // their names are alike
	if want := 13 + mostCited; m.Members.Len() != want {
		t.Errorf("%d pages belong, want %d", m.Members.Len(), want)
	}
}

// TestBibliography: of documents that lie each on a host of its own few hosts are looked at, and what
// was taken in stays.
func TestBibliography(t *testing.T) {
	b := builder{t, testWeb{}}
	const home, hosts = "http://www.museum.example/", 3 * mostCited
	b.site(home, 12)
	for i := range hosts {
		b.documents(home, 1, fmt.Sprintf("http://h%d.example/x/y/", i*7919%hosts), 1)
	}
	s, m := b.w.surveyed(t, Site{Seeds: []page.URL{home}}, Options{})
	asked, documents := 0, 0
	for p := range s.sites[0].places {
		if pl := &s.sites[0].places[p]; pl.is(isAnswered) && pl.why == WhyProbe {
			asked++
		}
	}
	for _, x := range m.Members.All() {
		documents += b2i(x.URL.NamesDocument())
	}
	if asked > mostCited || documents != mostCited/3 || !m.Converged {
		t.Errorf("%d pages were asked for, %d documents belong; converged: %v", asked, documents, m.Converged)
	}
}

// TestCopiesAreNoDocuments: what lies beside a copy of one of the site's pages is no document for that,
// where the other pages that were tried there failed.
func TestCopiesAreNoDocuments(t *testing.T) {
	b := builder{t, testWeb{}}
	b.site("http://college.example/registrar/", 40)
	b.w["http://college.example/registrar/p1"].Digest = page.SumDigest([]byte("one"))
	for i := range 12 {
		u := page.URL(fmt.Sprintf("http://college.example/Registrar/q%d", i))
		if i == 0 {
			u = "http://college.example/Registrar/p1"
		}
		for j := range 36 - i { // those that are tried first are the most linked one and two that failed
			b.page(page.URL(fmt.Sprintf("http://college.example/registrar/p%d", j)), string(u))
		}
		if i%4 > 0 {
			b.page(u)
		}
	}
	b.page("http://college.example/Registrar/p1").Digest = page.SumDigest([]byte("one"))
	site := Site{Name: "site", Seeds: []page.URL{"http://college.example/registrar/"}}
	s, _ := b.w.surveyed(t, site, Options{})
	for _, pl := range s.sites[0].places {
		if pl.is(isAsked) && pl.why == WhyDocument {
			t.Errorf("%s is asked for as a document", s.web.text(pl.id))
		}
	}
}
