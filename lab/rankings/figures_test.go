package rankings

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"watershed/replica/mirror"
)

// TestSameNumbers: text, CSV and pictures tell the same.
func TestSameNumbers(t *testing.T) {
	r := rank(t, web(), mirror.Options{MinURLs: 5})
	truth := NewTruth()
	truth.Set("a.one.org", "b.two.org", 1)
	truth.Set("a.one.org", "stranger.com", 4)
	e := Evaluate(r, truth)
	const k = 4
	var text, table bytes.Buffer
	if err := errors.Join(e.WriteText(&text, k), e.WriteCSV(&table, k)); err != nil {
		t.Fatal(err)
	}
	rows, err := csv.NewReader(&table).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	at := func(figure, curve string, x float64) string {
		for _, row := range rows[1:] {
			if v, err := strconv.ParseFloat(row[2], 64); row[0] == figure && row[1] == curve && err == nil &&
				v == x {
				y, err := strconv.ParseFloat(row[3], 64)
				if err != nil {
					t.Fatal(row)
				}
				return fmt.Sprintf("%.3f", y)
			}
		}
		return "none"
	}
	told := 0
	for line := range strings.Lines(text.String()) {
		f := strings.Fields(line)
		m := slices.IndexFunc(Methods(), func(m mirror.Method) bool {
			return len(f) == 8 && f[0] == m.String() && strings.Contains(f[3], ".") &&
				!strings.Contains(line, "%")
		})
		if m < 0 {
			continue
		}
		told++
		last := float64(min(k, e.Len(mirror.Method(m))))
		want := []string{
			at("precision-at-rank", f[0], last), at("recall-at-rank", f[0], last),
			at("precision-at-recall", f[0], .8), at("precision-at-recall", f[0], .9), at("area", f[0], 1),
		}
		if last < k {
			want[1] = f[4] // the pool grows up to k
		}
		if !slices.Equal(f[3:], want) {
			t.Errorf("text %v, CSV %v", f, want)
		}
	}
	if told < 10 {
		t.Errorf("%d rankings are told of:\n%s", told, &text)
	}
	// Two pairs of mirrors, of levels 1 and 4; the other two are not told to be mirrors.
	for _, want := range []string{
		"levels,fused,1,1\n", "levels,fused,4,1\n",
		"cross-domain,level 4 com-org,1,1\n",
	} {
		if !strings.Contains(csvText(rows), want) {
			t.Errorf("%q is not in\n%s", want, csvText(rows))
		}
	}
	if !strings.Contains(strings.Join(strings.Fields(text.String()), " "), "level 4 com-org 1 100.0%") {
		t.Error(text.String())
	}
	for _, f := range Figures() {
		for _, l := range e.curves(f, k) {
			if n := strings.Count(csvText(rows), f.String()+","+l.name+","); n != len(l.points) {
				t.Errorf("%s: %s has %d points in the CSV, not %d", f, l.name, n, len(l.points))
			}
		}
	}
}

func csvText(rows [][]string) string {
	var b strings.Builder
	for _, row := range rows {
		b.WriteString(strings.Join(row, ",") + "\n")
	}
	return b.String()
}

func TestTopLevel(t *testing.T) {
	for name, want := range map[string]string{
		"www.a.org": "org", "a.de:8080": "de", "10.0.0.1": "",
		"[::1]:80": "", "localhost": "",
	} {
		if got := topLevel(name); got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
}
