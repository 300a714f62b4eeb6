package frontier

import (
	"bufio"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"runtime"
	"strings"
	"testing"
	"time"

	"watershed/lab/kit/rusage"
	"watershed/page"
	"watershed/store"
)

var (
	benchURLs   = flag.Int("frontier.urls", 200_000, "known URLs that BenchmarkFrontier makes")
	benchHosts  = flag.Int("frontier.hosts", 20_000, "hosts of them, each of a domain of its own")
	benchVisits = flag.Bool("frontier.visits", true, "store a visit with 50 links for each ten of them")
)

// BenchmarkFrontier makes -frontier.urls known URLs on -frontier.hosts, as pages with 50 links of
// which 10 are new and the others repeat, one transaction for each page, with a visit that holds
// the links, and a checkpoint each second. The frontier has those that are new, as the survey wants
// a URL once. Then it leases and finishes 100,000 pages from the full frontier, and opens it anew.
// Memory is that of the first part, the greatest at any checkpoint, and VmHWM the greatest ever.
//
//	GOGC=50 go test ./frontier -run '^$' -bench 'Frontier$' -benchtime 1x -timeout 1h
//	    -frontier.urls 10000000
func BenchmarkFrontier(b *testing.B) {
	for b.Loop() {
		benchmarkFrontier(b, *benchURLs)
	}
}

func benchURL(i int) page.URL {
	h := uint64(i) * 2654435761 % uint64(*benchHosts)
	return page.URL(fmt.Sprintf("https://www.host%05d.example/section/%d/article-%012d.html", h, i%97, i))
}

func benchmarkFrontier(b *testing.B, n int) {
	dir := b.TempDir()
	st, err := store.Open(store.Options{Dir: dir})
	if err != nil {
		b.Fatal(err)
	}
	clk := &clock{epoch}
	o := Options{Now: clk.now, Politeness: Politeness{Factor: -1, Min: -1, Max: -1}, SharedAddresses: true}
	f, err := Open(st, 1, o)
	if err != nil {
		b.Fatal(err)
	}
	r := rand.New(rand.NewPCG(1, 2))
	start, cpu, last := time.Now(), rusage.CPU(), time.Now()
	checkpoint := time.Now()
	links := 0
	peak := map[string]int{}
	for made := 0; made < n; {
		v := page.Visit{
			URL: benchURL(r.IntN(made + 1)), Time: epoch, Status: 200,
			Title: "A page of no importance",
		}
		xs := make([]Candidate, 0, 10)
		for range 10 {
			xs = append(xs, Candidate{
				URL: benchURL(made), Via: v.URL, Hops: "LLL", Kind: page.Navigation,
				Wanted: true, Priority: int64(made % 1000),
			})
			made++
		}
		link := func(u page.URL) {
			v.Links = append(v.Links, page.Link{
				URL: u, Kind: page.Navigation, Context: "a/@href", Text: "a link",
			})
		}
		for _, x := range xs {
			link(x.URL)
		}
		for range 40 { // navigation bars: nearly all links repeat
			link(benchURL(made - 1 - r.IntN(min(made, 20_000))))
		}
		links += len(v.Links)
		err := st.Update(func(tx *store.Tx) error {
			if *benchVisits {
				if err := tx.PutVisit(1, &v); err != nil {
					return err
				}
			}
			_, err := f.Add(tx, xs)
			return err
		})
		if err != nil {
			b.Fatal(err)
		}
		if time.Since(checkpoint) > time.Second {
			if err := st.Checkpoint(); err != nil {
				b.Fatal(err)
			}
			checkpoint = time.Now()
			now := residentMiB()
			for name, n := range now {
				peak[name] = max(peak[name], n)
			}
		}
		if time.Since(last) > time.Minute {
			b.Logf("%9d URLs, %s", made, memory())
			last = time.Now()
		}
	}
	wall := time.Since(start)
	b.ReportMetric(float64(n)/wall.Seconds(), "new-URLs/s")
	b.ReportMetric(float64((rusage.CPU()-cpu).Microseconds())/float64(n), "cpu-µs/new-URL")
	for _, name := range []string{"RssAnon", "RssFile", "VmRSS"} {
		b.ReportMetric(float64(peak[name]), "MiB-"+name)
	}
	b.ReportMetric(float64(residentMiB()["VmHWM"]), "MiB-VmHWM")
	b.Logf("made %d URLs from %d links in %v: %s", n, links, wall.Round(time.Millisecond), memory())

	runtime.GC()
	b.Logf("after a collection: %s", memory())

	start, cpu = time.Now(), rusage.CPU()
	popped := 0
	for ; popped < min(n, 100_000); popped++ {
		l, _, err := f.next()
		if err != nil || l == nil {
			b.Fatal("no lease: ", err)
		}
		err = st.Update(func(tx *store.Tx) error {
			_, err := f.Finish(tx, l, Outcome{Status: 200, Bytes: 20_000})
			return err
		})
		if err != nil {
			b.Fatal(err)
		}
		clk.t = clk.t.Add(time.Millisecond)
	}
	b.ReportMetric(float64(popped)/time.Since(start).Seconds(), "pages/s")
	b.ReportMetric(float64((rusage.CPU()-cpu).Microseconds())/float64(popped), "cpu-µs/page")

	start = time.Now()
	if err := errors.Join(st.Checkpoint(), st.Close()); err != nil {
		b.Fatal(err)
	}
	b.Logf("closed in %v", time.Since(start).Round(time.Millisecond))
	start = time.Now()
	if st, err = store.Open(store.Options{Dir: dir}); err != nil {
		b.Fatal(err)
	}
	opened := time.Since(start)
	b.Logf("opened store in %v", opened.Round(time.Millisecond))
	start = time.Now()
	if f, err = Open(st, 1, o); err != nil {
		b.Fatal(err)
	}
	b.Logf("opened frontier in %v: %s", time.Since(start).Round(time.Millisecond), memory())
	if s := f.Stats(); s.Known() != int64(n) {
		b.Fatalf("%d URLs after opening", s.Known())
	}
	if err := st.Close(); err != nil {
		b.Fatal(err)
	}
}

// residentMiB is what /proc/self/status tells of memory.
func residentMiB() map[string]int {
	sizes := map[string]int{}
	file, err := os.Open("/proc/self/status")
	if err != nil {
		return sizes
	}
	defer file.Close()
	for s := bufio.NewScanner(file); s.Scan(); {
		name, rest, _ := strings.Cut(s.Text(), ":")
		kib := 0
		if _, err := fmt.Sscanf(rest, "%d kB", &kib); err == nil {
			sizes[name] = kib >> 10
		}
	}
	return sizes
}

func memory() string {
	m := residentMiB()
	return fmt.Sprintf("%d MiB resident (%d anonymous, %d of files), at most %d", m["VmRSS"], m["RssAnon"],
		m["RssFile"], m["VmHWM"])
}

// BenchmarkDeepQueue leases and finishes all URLs of one host with 200,000 of them: rows that were
// deleted must not be passed again and again.
func BenchmarkDeepQueue(b *testing.B) {
	const deep = 200_000
	for b.Loop() {
		b.StopTimer()
		st, err := store.Open(store.Options{Dir: b.TempDir()})
		if err != nil {
			b.Fatal(err)
		}
		clk := &clock{epoch}
		f, err := Open(st, 1, Options{Now: clk.now, Politeness: Politeness{Factor: -1, Min: -1, Max: -1}})
		if err != nil {
			b.Fatal(err)
		}
		for i := 0; i < deep; i += 1000 {
			var xs []Candidate
			for j := range 1000 {
				xs = append(xs, Candidate{
					URL:    page.URL(fmt.Sprintf("http://deep.example/some/path/%d", i+j)),
					Wanted: true, Priority: int64(j),
				})
			}
			if err := st.Update(func(tx *store.Tx) error {
				_, err := f.Add(tx, xs)
				return err
			}); err != nil {
				b.Fatal(err)
			}
		}
		b.StartTimer()
		var sum, worst time.Duration
		for range deep {
			start := time.Now()
			l, _, err := f.next()
			if err != nil || l == nil {
				b.Fatal("no lease: ", err)
			}
			took := time.Since(start)
			sum += took
			worst = max(worst, took)
			if err := st.Update(func(tx *store.Tx) error {
				_, err := f.Finish(tx, l, Outcome{Status: 200})
				return err
			}); err != nil {
				b.Fatal(err)
			}
		}
		b.ReportMetric(float64(sum.Nanoseconds())/deep, "ns/lease")
		b.ReportMetric(float64(worst.Microseconds()), "worst-µs")
		b.StopTimer()
		if err := st.Close(); err != nil {
			b.Fatal(err)
		}
		b.StartTimer()
	}
}
