package sitemap

import (
	"fmt"
	"runtime"
	"testing"

	"watershed/page"
)

// bulk makes a web of sites that each have two hosts linked both ways, and that cite many pages
// elsewhere. Page p of host h has 10 links on its own host, 1 to the site's other host and 9 to
// pages elsewhere, of which most are met only once.
type bulk struct{ sites, pages int }

func (k bulk) url(site, host, p int) page.URL {
	return page.URL(fmt.Sprintf("http://host%d.site%d.example/section%d/page%d.html", host, site, p%37, p))
}

func (k bulk) seeds() (sites []Site) {
	for s := range k.sites {
		sites = append(sites, Site{
			Name:  fmt.Sprint(s),
			Seeds: []page.URL{page.URL(fmt.Sprintf("http://host0.site%d.example/", s))},
		})
	}
	return sites
}

func (k bulk) visit(u page.URL) *page.Visit {
	var site, host, section, p int
	v := &page.Visit{URL: u, Status: 200}
	link := func(u page.URL) { v.Links = append(v.Links, page.Link{URL: u, Kind: page.Navigation}) }
	if n, _ := fmt.Sscanf(string(u), "http://host%d.site%d.example/section%d/page%d.html", &host, &site,
		&section, &p); n == 2 {
		link(k.url(site, host, 0))
		return v
	} else if n < 4 {
		v.Status = 404
		return v
	}
	for i := range 10 {
		link(k.url(site, host, (p*7+i*i+1)%k.pages))
	}
	link(k.url(site, 1-host, (p*3)%k.pages))
	for i := range 9 {
		link(page.URL(fmt.Sprintf("http://www%d.elsewhere.example/archive/%d/%d/article.html", (p*9+i)%499,
			site, (2*p+host)*9+i)))
	}
	return v
}

// BenchmarkSurvey crawls 30 sites of 1000 pages each to the end; 600,000 URLs come to be known.
func BenchmarkSurvey(b *testing.B) {
	for b.Loop() {
		k := bulk{sites: 30, pages: 500}
		var before, after runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&before)
		s, err := NewSurvey(k.seeds(), Options{})
		if err != nil {
			b.Fatal(err)
		}
		visits := 0
		for wants := s.Wants(); len(wants) > 0; wants = s.Wants() {
			for _, w := range wants {
				s.Learn(k.visit(w.URL))
				visits++
			}
		}
		b.StopTimer()
		runtime.GC()
		runtime.ReadMemStats(&after)
		known := s.Known()
		b.ReportMetric(float64(known), "known")
		b.ReportMetric(float64(visits), "visits")
		b.ReportMetric(float64(after.HeapAlloc-before.HeapAlloc)/float64(known), "B/known")
		runtime.KeepAlive(s)
		b.StartTimer()
	}
}

// tiers is a host of sections of all sizes, each knit more loosely than the one before, a web with
// a scale for nearly every section.
type tiers struct{ pages int }

func (k tiers) url(p int) page.URL {
	section := 0
	for q := p; q > 0; q /= 3 {
		section = section*3 + q%3 + 1
		if section > 2000 {
			break
		}
	}
	return page.URL(fmt.Sprintf("http://site.example/%d/%d.html", section, p))
}

func (k tiers) visit(u page.URL) *page.Visit {
	v := &page.Visit{URL: u, Status: 200}
	var section, p int
	if n, _ := fmt.Sscanf(string(u), "http://site.example/%d/%d.html", &section, &p); n == 0 {
		section = 1
	}
	link := func(to int) {
		v.Links = append(v.Links, page.Link{URL: k.url(to % k.pages), Kind: page.Navigation})
	}
	link(p * 3 / 2)
	for i := range 1 + section%9 {
		link(p + 3*(i*i+1)*(1+section%7)) // mostly the same section
	}
	for i := range 3 {
		link(3*p + i)
	}
	return v
}

// BenchmarkScales computes the family of one site of 100,000 fetched pages, and its map at another
// scale: of a site knit alike throughout, which has two scales, and of one that has thousands.
func BenchmarkScales(b *testing.B) {
	alike, tiered := bulk{sites: 1, pages: 100_000}, tiers{pages: 100_000}
	for _, c := range []struct {
		name  string
		seeds []Site
		visit func(page.URL) *page.Visit
	}{
		{"alike", alike.seeds(), alike.visit},
		{"tiered", []Site{{Name: "0", Seeds: []page.URL{"http://site.example/"}}}, tiered.visit},
	} {
		s, err := NewSurvey(c.seeds, Options{NoClusters: true})
		if err != nil {
			b.Fatal(err)
		}
		for wants := s.Wants(); len(wants) > 0; wants = s.Wants() {
			for _, w := range wants {
				s.Learn(c.visit(w.URL))
			}
		}
		settled := settle(s.sites[0].book, false)
		b.Run(c.name+"/family", func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				f := settled.family()
				b.ReportMetric(float64(len(f.plateaus)), "scales")
				b.ReportMetric(float64(settled.net.Len()), "vertices")
			}
		})
		b.Run(c.name+"/settle", func(b *testing.B) {
			for b.Loop() {
				settle(s.sites[0].book, false)
			}
		})
		b.Run(c.name+"/map", func(b *testing.B) {
			for b.Loop() {
				s.Map("0")
			}
		})
		m, _ := s.Map("0")
		b.Run(c.name+"/at", func(b *testing.B) {
			for b.Loop() {
				if _, err := m.At(mostAlpha); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
