package sitemap

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"watershed/flow"
	"watershed/graph"
	"watershed/page"
	"watershed/sitemap/protocol"
)

var update = flag.Bool("update", false, "rewrite the files of testdata")

// golden compares text with a file.
func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(path, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), string(got)); diff != "" {
		t.Errorf("%s: %s", name, diff)
	}
}

// guide is a web with something of everything a map tells.
const guide = twoHosts + `
http://www.site.example/old  => http://www.site.example/a
http://docs.site.example/5   -> http://www.site.example/old i=http://cdn.example/back.png
http://cdn.example/back.png  ->
`

func drawnMap(t *testing.T) *Map {
	w := parseWeb(t, guide)
	w["http://docs.site.example/4"].Links = append(w["http://docs.site.example/4"].Links,
		page.Link{URL: "http://docs.site.example/5", Kind: page.Navigation})
	_, m := w.surveyed(t, Site{
		Name: "Guide", Seeds: []page.URL{"http://www.site.example/"},
		Exclude: []page.Rule{mustRule(t, "url:http://docs.site.example/3")},
	}, Options{})
	return m
}

func TestMapFiles(t *testing.T) {
	m := drawnMap(t)
	for name, write := range map[string]func(*bytes.Buffer) error{
		"map.json":    func(b *bytes.Buffer) error { return m.WriteJSON(b) },
		"map.csv":     func(b *bytes.Buffer) error { return m.WriteCSV(b) },
		"map.surts":   func(b *bytes.Buffer) error { return m.WriteSURTs(b) },
		"map.regexes": func(b *bytes.Buffer) error { return m.WriteRegexes(b) },
	} {
		var b bytes.Buffer
		if err := write(&b); err != nil {
			t.Fatal(err)
		}
		golden(t, name, b.Bytes())
		if name == "map.json" && !json.Valid(b.Bytes()) {
			t.Error("not valid JSON")
		}
	}
}

func TestReadMapGivesWhatWasWritten(t *testing.T) {
	m := drawnMap(t)
	var b bytes.Buffer
	if err := m.WriteJSON(&b); err != nil {
		t.Fatal(err)
	}
	former := strings.Replace(b.String(), `,"scale":`, `,"proposed":1,"scale":`, 1) // which older maps have
	got, err := ReadMap(strings.NewReader(former))
	if err != nil || former == b.String() {
		t.Fatal(err, former == b.String())
	}
	if diff := cmp.Diff(m, got, cmpopts.IgnoreUnexported(Map{}), cmpopts.EquateEmpty()); diff != "" {
		t.Error(diff)
	}
	if _, err := ReadMap(bytes.NewBufferString("{")); err == nil {
		t.Error("half a map was read")
	}
}

func TestSitemapHasTheFetchedMembers(t *testing.T) {
	var file bytes.Buffer
	create := func(string) (io.WriteCloser, error) { return unclosed{&file}, nil }
	if err := drawnMap(t).WriteSitemap(create); err != nil {
		t.Fatal(err)
	}
	var got []string
	if _, err := protocol.Read(&file, protocol.MaxBytes, func(_ protocol.Kind, loc string) error {
		got = append(got, loc)
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	want := []string{
		"http://docs.site.example/", "http://docs.site.example/1", "http://docs.site.example/2",
		"http://docs.site.example/4",
		"http://docs.site.example/5", "http://www.site.example/", "http://www.site.example/a",
		"http://www.site.example/b",
		"http://www.site.example/c",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

type unclosed struct{ io.Writer }

func (unclosed) Close() error { return nil }

func TestCoversOfSimpleModes(t *testing.T) {
	for mode, want := range map[Mode]string{
		Prefix:   "http://(example,docs,)/d/\n",
		HostOnly: "http://(example,docs,)/\n",
		Domain:   "http://(example,docs,\nhttp://(example,docs,)/d/\n",
		List:     "http://(example,docs,)/d/a\n",
	} {
		w := parseWeb(t, `
http://docs.example/d/a -> b
http://docs.example/d/b -> a`)
		_, m := w.surveyed(t, Site{Seeds: []page.URL{"http://docs.example/d/a"}, Boundary: mode}, Options{})
		var b bytes.Buffer
		if err := m.WriteSURTs(&b); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, b.String()); diff != "" {
			t.Errorf("%v: %s", mode, diff)
		}
	}
}

// TestCoverHoldsMembersAndNoOther reads the SURTs and expressions of random maps back as rules.
func TestCoverHoldsMembersAndNoOther(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s, err := NewSurvey([]Site{{Name: "site", Seeds: []page.URL{drawSeed(t)}}}, drawOptions(t))
		if err != nil {
			t.Fatal(err)
		}
		drawWeb(t).crawl(s)
		m, _ := s.Map("site")
		for kind, write := range map[string]func(*bytes.Buffer) error{
			"surt:":  func(b *bytes.Buffer) error { return m.WriteSURTs(b) },
			"regex:": func(b *bytes.Buffer) error { return m.WriteRegexes(b) },
		} {
			var b bytes.Buffer
			if err := write(&b); err != nil {
				t.Fatal(err)
			}
			var rules []page.Rule
			for line := range bytes.Lines(b.Bytes()) {
				r, err := page.ParseRule(kind + string(bytes.TrimSpace(line)))
				if err != nil {
					t.Fatal(err)
				}
				rules = append(rules, r)
			}
			single := make(map[page.URL]bool)
			for _, x := range m.Members.All() {
				single[x.URL] = true
				if _, ok := matching(rules, x.URL); !ok {
					t.Fatalf("%s does not hold member %s:\n%s", kind, x.URL, b.String())
				}
			}
			for _, u := range urlsOf(m.others) {
				if r, ok := matching(rules, u); ok && kind == "regex:" {
					t.Fatalf("%s holds %s, which is outside", r, u)
				}
			}
		}
	})
}

// urlsOf are the texts of a list.
func urlsOf(l packed) (list []page.URL) {
	for r := l.from(0); r.next(); {
		list = append(list, page.URL(r.text))
	}
	return list
}

func TestExplanationsReadWell(t *testing.T) {
	m := drawnMap(t)
	var b bytes.Buffer
	for _, u := range []page.URL{
		"http://www.site.example/", "http://docs.site.example/4", "http://www.site.example/old",
		"http://cdn.example/back.png",
		"http://stranger.example/", "http://docs.site.example/3", "http://www.site.example/gone",
		"http://nowhere.example/",
	} {
		b.WriteString(m.Explain(u).String() + "\n")
	}
	golden(t, "explain.txt", b.Bytes())
}

// A block that is tied to the site and too large for what leads there is said to be that, and not
// to share too little.
func TestTooLargeBlockSaysSo(t *testing.T) {
	var text strings.Builder
	text.WriteString("http://www.site.example/ -> toc\nhttp://www.site.example/toc -> /")
	for i := range 600 {
		fmt.Fprintf(&text, " http://reference.example/p%d", i)
	}
	for i := range 600 {
		fmt.Fprintf(&text, "\nhttp://reference.example/p%d -> p%d http://www.site.example/ "+
			"http://www.site.example/toc", i, (i+1)%600)
	}
	_, m := parseWeb(t, text.String()).surveyed(t, Site{Seeds: []page.URL{"http://www.site.example/"}},
		Options{})
	e := m.Explain("http://reference.example/p7")
	if e.Inside || e.Block == nil || e.Block.Inside > 0 || e.Block.Share < 0.3 || e.Since == 0 {
		t.Fatalf("%+v, block %+v", e, e.Block)
	}
	if want := "has more pages than the links that lead there can pay for"; !strings.Contains(e.String(),
		want) {
		t.Errorf("%s; want %q", e, want)
	}
}

// TestMapIsCertified: a cut that is not that of the network is drawn on no map.
func TestMapIsCertified(t *testing.T) {
	s := maze(t, 300, 3)
	settled := settle(s.sites[0].book, false)
	var m Map
	d := &drawing{b: s.sites[0], m: &m, s: settled}
	if err := d.certify(); err != nil || m.Certificate == nil || m.Certificate.Flow != m.Certificate.Value {
		t.Fatalf("%+v, %v", m.Certificate, err)
	}
	settled.net.AddArc(0, graph.Arc{To: 1, Capacity: 7})
	if err := d.certify(); !errors.Is(err, flow.ErrNotSolved) {
		t.Errorf("a cut of another network: %v", err)
	}
	if _, err := s.Map("none"); err == nil {
		t.Error("a map of no site")
	}
}
