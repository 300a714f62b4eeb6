package mirror_test

import (
	"context"
	"fmt"
	"os"
	"strings"

	"watershed/internal/extsort"
	"watershed/replica/mirror"
)

func ExampleRank() {
	folder, err := os.MkdirTemp("", "mirror-")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(folder)
	spill, err := extsort.OpenDir(folder)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer spill.Close()
	list := "http://a.org/docs/intro.html\nhttp://a.org/docs/faq.html\nhttp://b.net/docs/faq.html\n" +
		"http://b.net/docs/intro.html\n" +
		"http://c.com/x.html\nhttp://c.com/y.html\n"
	urls := func(yield func([]byte, error) bool) {
		for url := range strings.Lines(list) {
			if !yield([]byte(strings.TrimSpace(url)), nil) {
				return
			}
		}
	}
	r, err := mirror.Rank(context.Background(), mirror.Input{URLs: urls}, spill, mirror.Options{MinURLs: 2})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, p := range r.Ranking(mirror.Prefix) {
		fmt.Println(r.Hosts[p.A], r.Hosts[p.B])
	}
	// Output: a.org b.net
}
