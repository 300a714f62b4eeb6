package sitemap

import (
	"bytes"
	"encoding/csv"
	"errors"
	"io"
	"strings"
	"testing"
)

// scaled is a map with scales of all sorts, made by hand.
func scaled() *Map {
	return &Map{
		Site: "R&D", Boundary: "logical", Certificate: &Certificate{Alpha: 0.01, Toll: 30_000},
		Scale: 2,
		Blocks: []Block{
			{Name: "prefix"},
			{Name: "docs.site.example/"},
			{Name: "a.example/"},
			{Name: "b.example/"},
			{Name: "c.example/"},
		},
		Scales: []Scale{
			{Least: 0.5, Most: 1, Pages: 1, Cut: 4_000_000, Blocks: []int{0}},
			{Least: 0.499, Most: 0.5, Pages: 12, Cut: 3_000_000},
			{Least: 0.005, Most: 0.499, Pages: 120, Cut: 2_500_000, Blocks: []int{1}},
			{
				Least: 0.0001, Most: 0.005, Pages: 1400, Known: 30, Cut: 0, Fetches: 7083,
				Blocks: []int{1, 2, 3, 4},
			},
		},
	}
}

func TestScaleFiles(t *testing.T) {
	m := scaled()
	for name, write := range map[string]func(io.Writer) error{
		"scales.txt": func(w io.Writer) error {
			return errors.Join(m.WriteScaleTable(w, 0), m.WriteScaleTable(w, 2),
				(&Map{Site: "list", Boundary: "list"}).WriteScaleTable(w, 0))
		},
		"scales.csv": m.WriteScaleCSV,
	} {
		var b bytes.Buffer
		if err := write(&b); err != nil {
			t.Fatal(err)
		}
		golden(t, name, b.Bytes())
		if name == "scales.csv" {
			if rows, err := csv.NewReader(&b).ReadAll(); err != nil || len(rows) != 5 {
				t.Errorf("%d rows, %v", len(rows), err)
			}
		}
	}
}

func TestScalesOfNothing(t *testing.T) {
	for _, m := range []*Map{{}, {
		Certificate: &Certificate{Alpha: 1},
		Scales:      []Scale{{Least: 1e-4, Most: 1}},
	}} {
		var b strings.Builder
		if err := m.WriteScaleTable(&b, 0); err != nil || strings.Contains(b.String(), "NaN") ||
			strings.Contains(b.String(), "Inf") || strings.Contains(b.String(), "1 scales") {
			t.Errorf("%v\n%s", err, b.String())
		}
	}
}

func TestScaleAtTellsOfItsRange(t *testing.T) {
	m := scaled()
	for alpha, want := range map[float64]int{
		1: 0, 0.5: 0, 0.4999: 1, 0.498: 2, 0.01: 2, 0.005: 2, 0.0049: 3,
		0.0001: 3, 7: -1, 0.00009: -1, 0: -1, -1: -1,
	} {
		i, err := m.ScaleAt(alpha)
		if err != nil {
			i = -1
		}
		if i != want {
			t.Errorf("α = %g: scale %d, want %d", alpha, i, want)
		}
	}
	if _, err := (&Map{Boundary: "list"}).At(0.01); err == nil {
		t.Error("a list has a scale")
	}
	// Each page more pays 0.01 of the 2.5 that leave: 250 pages at most, of which 1250 are known.
	if got := m.Fetches(1. / 300); got != 0 {
		t.Errorf("%d fetches", got)
	}
	if got := m.Fetches(0.0001); got != 8333-1250 {
		t.Errorf("%d fetches, want 2.5 over 0.0003 less 1250 known", got)
	}
	if m.Fetches(0.01) != 0 || m.Fetches(0.5) != 0 || m.Fetches(7) != 0 {
		t.Error("a narrower scale is to be fetched")
	}
}
