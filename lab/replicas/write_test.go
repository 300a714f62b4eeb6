package replicas

import (
	"fmt"
	"io"
	"iter"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/parquet-go/parquet-go"

	"watershed/lab/questions"
	"watershed/page"
	"watershed/replica/catalog"
	"watershed/replica/sketch"
)

// manuals are two copies of a manual of twelve chapters.
func manuals(t *testing.T) iter.Seq2[catalog.Document, error] {
	t.Helper()
	b, err := sketch.NewBuilder(sketch.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return func(yield func(catalog.Document, error) bool) {
		for _, dir := range []string{"http://a.example/manual/", "http://b.example/copy/"} {
			for i := range 12 {
				var words strings.Builder
				for k := range 150 {
					fmt.Fprintf(&words, "w%d ", (k*k+i*7919+k*i)%997)
				}
				b.Text([]byte(words.String()))
				s := b.Sketch()
				u := func(i int) page.URL { return page.URL(fmt.Sprintf("%sc%d", dir, i%12)) }
				v := &page.Visit{
					URL: u(i), Status: 200, Time: time.Unix(1e9, 0), MIME: "text/html",
					Digest: page.SumDigest([]byte(words.String())), Size: int64(words.Len()),
					Sketch: s.AppendEncode(nil),
				}
				for _, to := range []page.URL{u(i + 1), u(5 * i), u(0)} {
					v.Links = append(v.Links, page.Link{URL: to, Kind: page.Navigation})
				}
				if d, ok := catalog.Of(v); ok && !yield(d, nil) {
					return
				}
			}
		}
	}
}

// TestWrite: the tables are read again as they were written.
func TestWrite(t *testing.T) {
	c, err := catalog.Open(t.TempDir(), catalog.Options{Memory: 8 << 20})
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := c.Close(); err != nil {
			t.Error(err)
		}
	}()
	if _, err := c.Add(t.Context(), 0, "test", manuals(t)); err != nil {
		t.Fatal(err)
	}
	finding, err := c.Find(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	list, err := finding.Propose(catalog.Rule{}, time.Unix(2e9, 0))
	if err != nil {
		t.Fatal(err)
	}
	asked, err := questions.Read(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	f := newTables(c, asked, finding)
	dir := t.TempDir()
	if err := f.write(t.Context(), dir, list); err != nil {
		t.Fatal(err)
	}
	pages, err := parquet.ReadFile[pageRow](filepath.Join(dir, "pages.parquet"))
	if err != nil || len(pages) != 24 || pages[0].URL != "http://a.example/manual/c0" ||
		pages[0].Similar != 2 {
		t.Errorf("%d pages, %v", len(pages), err)
	}
	again := map[page.URL]catalog.Document{}
	if _, err := readTable(filepath.Join(dir, "documents.parquet"), func(d catalog.Document) bool {
		again[d.URL] = d
		return true
	}); err != nil {
		t.Fatal(err)
	}
	for d, err := range manuals(t) {
		if err != nil || !reflect.DeepEqual(again[d.URL], d) {
			t.Errorf("%+v, want %+v, %v", again[d.URL], d, err)
		}
	}
	replicas, err := parquet.ReadFile[replicaRow](filepath.Join(dir, "replicas.parquet"))
	if err != nil || len(replicas) != 2 || !replicas[1].Full || replicas[1].Agreed != 12 {
		t.Errorf("%+v, %v", replicas, err)
	}
	mapping, err := parquet.ReadFile[mappingRow](filepath.Join(dir, "mapping.parquet"))
	if err != nil || len(mapping) != 12 || mapping[3].Resemblance != 1 {
		t.Errorf("%d pairs, %v", len(mapping), err)
	}
	if err := f.writeText(t.Context(), io.Discard, list); err != nil {
		t.Error(err)
	}
}

// TestColumns: no column is named by a word that PostgreSQL, DuckDB or the SQL standard reserve in
// such a place.
func TestColumns(t *testing.T) {
	reserved := strings.Fields("all and any as asc between both by case cast check collate column create " +
		"cross default desc distinct else end except " +
		"exists false fetch for foreign from full grant group having in inner intersect into is join " +
		"leading left like limit natural not null of " +
		"offset on only or order outer primary references right select similar some table then to trailing " +
		"true union unique user using when where with")
	for _, row := range []any{
		pageRow{},
		documentRow{},
		clusterRow{},
		collectionRow{},
		replicaRow{},
		mappingRow{},
		wideRow{},
		commonRow{},
	} {
		of := reflect.TypeOf(row)
		for field := range of.Fields() {
			name, _, _ := strings.Cut(field.Tag.Get("parquet"), ",")
			if name == "" || slices.Contains(reserved, name) {
				t.Errorf("%s.%s: a column named %q", of.Name(), field.Name, name)
			}
		}
	}
}
