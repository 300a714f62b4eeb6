//go:build unix

package sitemap

import (
	"fmt"
	"runtime"
	"slices"
	"testing"
	"time"

	"watershed/lab/kit/rusage"
	"watershed/page"
)

// BenchmarkEpoch draws the boundary anew after each batch of 50 new pages of a survey that has
// visited 100,000 pages of a site on four hosts, in a web of 160,000 pages.
func BenchmarkEpoch(b *testing.B) {
	g := generate(append([]int{130_000}, paretoSizes(30_000, 3_000, 1)...), 1)
	// its sections cite the hosts of the site, which makes wards of them
	s, err := g.survey(Options{WardSample: -1}, 0)
	if err != nil {
		b.Fatal(err)
	}
	var v page.Visit
	open := s.Wants()
	learn := func(n int) {
		for range n {
			if len(open) == 0 {
				b.Fatal("nothing is open")
			}
			g.visit(g.find(open[0].URL), &v)
			open = open[1:]
			s.Learn(&v)
			open = append(open, s.Wants()...)
		}
	}
	site := s.sites[0]
	begin := rusage.CPU()
	for site.joined < 100_000 {
		learn(50)
	}
	b.ReportMetric((rusage.CPU() - begin).Seconds(), "s-before")
	site.epoch()
	// else what the set-up left is collected in some epochs of a short run, and in none of another
	runtime.GC()
	b.ResetTimer()
	used := rusage.CPU()
	for b.Loop() {
		learn(50)
		site.dirty = true
		site.epoch()
		open = append(open, s.Wants()...)
	}
	b.ReportMetric(float64((rusage.CPU()-used).Microseconds())/1000/float64(b.N), "cpu-ms/epoch")
	b.ReportMetric(float64(len(site.places)), "known")
}

// BenchmarkReplay tells a million visits to a survey of all sites with 200 pages or more, in an
// order that has all sites under way at once. cpu-ms/longest is what the dearest call of Learn
// took.
func BenchmarkReplay(b *testing.B) {
	for b.Loop() {
		g := generate(paretoSizes(1_000_000, 100_000, 7), 7)
		var sites []int
		for i := range g.sites {
			if g.sites[i].size >= 200 {
				sites = append(sites, i)
			}
		}
		before := float64(rusage.Peak()) / (1 << 20)
		used := rusage.CPU()
		s, err := g.survey(Options{}, sites...)
		if err != nil {
			b.Fatal(err)
		}
		var v page.Visit
		p := 0
		longest, now := time.Duration(0), rusage.CPU()
		for range g.urls {
			p = (p + 611_953) % len(g.urls) // a prime: every page once
			g.visit(p, &v)
			s.Learn(&v)
			last := now
			now = rusage.CPU()
			longest = max(longest, now-last)
		}
		b.ReportMetric(float64(longest.Microseconds())/1000, "cpu-ms/longest")
		b.ReportMetric((now - used).Seconds(), "cpu-s")
		b.ReportMetric(before, "MiB-before")
		b.ReportMetric(float64(rusage.Peak())/(1<<20), "MiB-peak")
		b.ReportMetric(float64(s.Known()), "known")
		b.ReportMetric(float64(len(g.to))/float64(len(g.urls)), "links/page")
		b.ReportMetric(float64(len(sites)), "sites")
	}
}

// BenchmarkLearn crawls a site to its end, and tells what the dearest call of Learn took: of a site
// on four hosts, and of one of 16 tenants of a host whose addresses are numbers. Both are as large
// as what is clustered (Options.ClusterPages).
func BenchmarkLearn(b *testing.B) {
	for _, c := range []struct {
		name  string
		sizes []int
	}{{"hosts", []int{20_500}}, {"flat", slices.Repeat([]int{1_280}, 16)}} {
		g := generate(c.sizes, 3)
		if c.name == "flat" {
			for p := range g.urls {
				g.urls[p] = page.URL(fmt.Sprintf("http://www.flat.example/%d", (p+1)*611_953%1_000_003))
			}
		}
		b.Run(c.name, func(b *testing.B) {
			for b.Loop() {
				s, err := g.survey(Options{}, 0)
				if err != nil {
					b.Fatal(err)
				}
				var v page.Visit
				longest, begin := time.Duration(0), rusage.CPU()
				last := begin
				for wants := s.Wants(); len(wants) > 0; wants = s.Wants() {
					for _, w := range wants {
						g.visit(g.find(w.URL), &v)
						s.Learn(&v)
						now := rusage.CPU()
						longest, last = max(longest, now-last), now
					}
				}
				b.ReportMetric(float64(longest.Microseconds())/1000, "cpu-ms/longest")
				b.ReportMetric((last - begin).Seconds(), "cpu-s")
				b.ReportMetric(float64(s.sites[0].joined), "visited")
				b.ReportMetric(float64(s.sites[0].epochs), "epochs")
			}
		})
	}
}

// BenchmarkPin pins a page of a settled survey of 100,000 pages on four hosts outside, draws its
// boundary, and takes the pin back, with all that a page inside is linked to.
func BenchmarkPin(b *testing.B) {
	g := generate(append([]int{104_000}, paretoSizes(30_000, 3_000, 1)...), 1)
	s, err := g.survey(Options{}, 0)
	if err != nil {
		b.Fatal(err)
	}
	var v page.Visit
	for wants := s.Wants(); len(wants) > 0; wants = s.Wants() {
		for _, w := range wants {
			g.visit(g.find(w.URL), &v)
			s.Learn(&v)
		}
	}
	rule, err := page.ParseRule("url:" + string(g.urls[g.sites[0].first+77]))
	if err != nil {
		b.Fatal(err)
	}
	runtime.GC() // as in BenchmarkEpoch
	b.ResetTimer()
	used := rusage.CPU()
	for b.Loop() {
		if err := s.Pin("0", rule, false); err != nil {
			b.Fatal(err)
		}
		if err := s.Unpin("0", rule); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64((rusage.CPU()-used).Microseconds())/2000/float64(b.N), "cpu-ms/pin")
	b.ReportMetric(float64(s.sites[0].joined), "visited")
}
