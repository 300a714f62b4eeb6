package mirror

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// Sorted gives each URL once, in order, however their text lies in memory.
func TestSorted(t *testing.T) {
	var urls, want []string
	for i := range 3000 {
		u := fmt.Sprintf("http://h%d.example/%s", i%7, strings.Repeat(fmt.Sprint(i*7919%3000, "/"), 1+i%120))
		urls = append(urls, u, strings.Replace(u, "http:", "https:", 1), "no URL")
		want = append(want, u)
	}
	longest := "http://h8.example/" + strings.Repeat("x", 1<<16-1-len("http://h8.example/"))
	urls, want = append(urls, longest, longest+"y"), append(want, longest)
	slices.Sort(want) // hosts of one length, and one scheme
	sorted, err := Sorted(func(yield func([]byte, error) bool) {
		for _, u := range urls {
			if !yield([]byte(u), nil) {
				return
			}
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	i := 0
	for u, err := range sorted {
		text := strings.Replace(string(u), "https:", "http:", 1)
		if err != nil || i == len(want) || text != want[i] {
			t.Fatalf("URL %d is %.100s, want %.100s, %v", i, u, want[min(i, len(want)-1)], err)
		}
		i++
	}
	if i != len(want) {
		t.Errorf("%d URLs, want %d", i, len(want))
	}
}
