package crawler

import (
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"runtime"
	"strconv"
	"testing"
	"time"

	"watershed/frontier"
	"watershed/lab/kit/rusage"
	"watershed/page"
	"watershed/replica/sketch"
	"watershed/replica/soft404"
	"watershed/sitemap"
	"watershed/store"
)

var replayPages = flag.Int("crawler.pages", 10_000, "pages of the run that BenchmarkReplay opens")

// BenchmarkReplay opens a run of so many pages, each of which is the first to name ten others and
// links to three that are known: the state is opened with its check, the visits are taught to a
// survey and to the guard against soft errors, and the frontier is opened. It tells the processor
// time for 100,000 pages, and what the heap had in use at the end.
//
//	go test ./crawler -run '^$' -bench Replay -benchtime 1x -timeout 1h -crawler.pages 100000
func BenchmarkReplay(b *testing.B) {
	dir := b.TempDir()
	crawlMaze(b, dir, *replayPages)
	for b.Loop() {
		before := rusage.CPU()
		st, err := store.Open(store.Options{Dir: dir, MinFreeBytes: 1})
		if err != nil {
			b.Fatal(err)
		}
		guard := soft404.New(soft404.Options{})
		survey := mazeSurvey(b)
		done, err := Replay(survey, st, 1, func(v *page.Visit) { guard.Learn(v) })
		if err != nil || len(done.Missing) > 0 || done.Visits != int64(*replayPages) {
			b.Fatalf("%d visits and %d URLs missing: %v", done.Visits, len(done.Missing), err)
		}
		pace := mazePace
		pace.Waiting = done.Waiting
		f, err := frontier.Open(st, 1, pace)
		if err != nil {
			b.Fatal(err)
		}
		b.ReportMetric((rusage.CPU()-before).Seconds()*100_000/float64(*replayPages), "cpu-s/100000-pages")
		var m runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&m)
		b.ReportMetric(float64(m.HeapInuse)/(1<<20), "MiB-heap")
		b.ReportMetric(float64(survey.Known()), "known")
		runtime.KeepAlive(f)
		if err := st.Close(); err != nil {
			b.Fatal(err)
		}
	}
}

// mazePace waits for nothing.
var mazePace = frontier.Options{
	Sites: []frontier.Site{{Name: "S"}}, Politeness: frontier.Politeness{Factor: -1, Min: -1, Max: -1},
	SharedAddresses: true,
}

func mazeSurvey(b *testing.B) *sitemap.Survey {
	site := sitemap.Site{Name: "S", Seeds: []page.URL{mazeURL(0)}, Boundary: sitemap.Domain}
	s, err := sitemap.NewSurvey([]sitemap.Site{site}, sitemap.Options{})
	if err != nil {
		b.Fatal(err)
	}
	return s
}

// crawlMaze crawls so many pages into a new state.
func crawlMaze(b *testing.B, dir string, pages int) {
	st, err := store.Open(store.Options{Dir: dir, MinFreeBytes: 1})
	if err != nil {
		b.Fatal(err)
	}
	if _, err := st.StartRun(store.RunRecord{Started: time.Unix(0, 0), State: store.RunOpen}); err != nil {
		b.Fatal(err)
	}
	f, err := frontier.Open(st, 1, mazePace)
	if err != nil {
		b.Fatal(err)
	}
	c, err := New(Parts{Store: st, Number: 1, Frontier: f, Survey: mazeSurvey(b), Sites: []string{"S"}},
		Options{Agent: "watershed"})
	if err != nil {
		b.Fatal(err)
	}
	if err := c.start(b.Context()); err != nil {
		b.Fatal(err)
	}
	for range pages {
		if err := c.crawlPage(b.Context()); err != nil {
			b.Fatal(err)
		}
	}
	if err := st.Close(); err != nil {
		b.Fatal(err)
	}
}

// crawlPage commits the next page of the maze.
func (c *Crawler) crawlPage(ctx context.Context) error {
	l, err := c.Frontier.Lease(ctx)
	if err != nil {
		return err
	}
	v, err := mazeVisit(l.URL)
	if err != nil {
		return err
	}
	return c.commit(ctx, v, func(tx *store.Tx) error {
		_, err := c.Frontier.Finish(tx, l, frontier.Outcome{Status: v.Status, Visit: v.Seq})
		return err
	})
}

func mazeURL(n uint64) page.URL {
	return page.URL(fmt.Sprintf("http://h%02d.maze.example/section-%d/article-%d-of-the-maze.html",
		n%16, n/4096, n))
}

// mazeVisit is what the page of a URL brings, with a text of its own.
func mazeVisit(u page.URL) (*page.Visit, error) {
	var host, section, n uint64
	if _, err := fmt.Sscanf(string(u), "http://h%d.maze.example/section-%d/article-%d-of-the-maze.html",
		&host, &section, &n); err != nil {
		return nil, err
	}
	rng := rand.New(rand.NewPCG(n, 1))
	v := &page.Visit{
		URL: u, Time: time.Unix(int64(n), 0), Status: 200, Remote: "127.0.0.1:80", MIME: "text/html",
		Charset: "utf-8", Size: 2500,
		Title:  fmt.Sprintf("Page %d of a maze", n),
		Digest: page.Digest{byte(n), byte(n >> 8), byte(n >> 16), 1}, Site: "S", Hops: "LLLLL",
		Record: page.Location{File: "maze-00000.warc.gz", Offset: int64(n) * 2000, Length: 2000},
	}
	link := func(to uint64) {
		v.Links = append(v.Links, page.Link{
			URL: mazeURL(to), Kind: page.Navigation, Context: "a/@href",
			Text: fmt.Sprintf("To page %d", to),
		})
	}
	for range 3 {
		link(rng.Uint64N(n + 1))
	}
	for i := range uint64(10) {
		link(n*10 + 1 + i)
	}
	text, err := sketch.NewBuilder(sketch.Options{})
	if err != nil {
		return nil, err
	}
	for range 180 {
		text.Text(strconv.AppendUint(nil, rng.Uint64N(1<<30), 36))
		text.Text([]byte(" "))
	}
	s := text.Sketch()
	v.Sketch = s.AppendEncode(nil)
	return v, nil
}
