package worddiff

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// sides puts the texts together again.
func sides(parts []Part) (a, b []string, edits int) {
	for _, p := range parts {
		if p.Op != OnlyB {
			a = append(a, p.Words...)
		}
		if p.Op != OnlyA {
			b = append(b, p.Words...)
		}
		if p.Op != Both {
			edits += len(p.Words)
		}
	}
	return a, b, edits
}

// TestShortest compares the edit with the length of the longest common subsequence, by the
// textbook's table (Cormen et al., Introduction to Algorithms, 3rd ed., 15.4).
func TestShortest(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		word := rapid.SampledFrom([]string{"a", "b", "c"})
		a := rapid.SliceOfN(word, 0, 30).Draw(t, "a")
		b := rapid.SliceOfN(word, 0, 30).Draw(t, "b")
		parts, exact := Diff(a, b)
		x, y, edits := sides(parts)
		if !slices.Equal(x, a) || !slices.Equal(y, b) || !exact {
			t.Fatalf("%v %v: %v", a, b, parts)
		}
		table := make([][]int, len(a)+1)
		for i := range table {
			table[i] = make([]int, len(b)+1)
			for j := range table[i] {
				switch {
				case i == 0 || j == 0:
				case a[i-1] == b[j-1]:
					table[i][j] = table[i-1][j-1] + 1
				default:
					table[i][j] = max(table[i-1][j], table[i][j-1])
				}
			}
		}
		if want := len(a) + len(b) - 2*table[len(a)][len(b)]; edits != want {
			t.Fatalf("%v %v: %d edits, want %d", a, b, edits, want)
		}
		for i := range parts {
			if len(parts[i].Words) == 0 || i > 0 && parts[i].Op == parts[i-1].Op {
				t.Fatalf("%v %v: %v", a, b, parts)
			}
		}
	})
}

// TestBounded compares texts that have nothing, and everything in another order, in common.
func TestBounded(t *testing.T) {
	var a, b []string
	for i := range 100_000 {
		a, b = append(a, fmt.Sprint("a", i)), append(b, fmt.Sprint("b", i))
	}
	parts, exact := Diff(a, b)
	if _, _, edits := sides(parts); exact || edits != 200_000 {
		t.Errorf("%d edits", edits)
	}
	c := slices.Clone(a)
	slices.Reverse(c)
	parts, exact = Diff(a, c)
	if _, _, edits := sides(parts); exact || edits != 0 {
		t.Errorf("%d edits of texts with the same words", edits)
	}
}

func ExampleDiff() {
	parts, _ := Diff(strings.Fields("the old page of the site"), strings.Fields("the new page of a site"))
	for _, p := range parts {
		fmt.Println([]string{" ", "-", "+"}[p.Op], strings.Join(p.Words, " "))
	}
	// Output:
	//   the
	// - old
	// + new
	//   page of
	// - the
	// + a
	//   site
}
