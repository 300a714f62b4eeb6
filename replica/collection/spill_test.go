package collection

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"testing"

	"watershed/internal/extsort"
	"watershed/page"
)

// input is a web of two hosts of 300 pages each, of the same texts, where each page links to the
// next ones.
func input() Input {
	const pages = 300
	in := Input{Pages: make([]Page, 2*pages)}
	for p := range in.Pages {
		in.Pages[p].URL = page.URL(fmt.Sprintf("http://%c.example/d/%d", 'a'+p/pages, p%pages))
		in.Clusters = append(in.Clusters, uint32(p%pages))
	}
	in.Links = func(add func(from, to uint32) error) error {
		for p := range uint32(2 * pages) {
			for k := uint32(1); k < 20 && (p+k)/pages == p/pages; k++ {
				if err := add(p, p+k); err != nil {
					return err
				}
			}
		}
		return nil
	}
	return in
}

// TestSpill: sorts on disk find what sorts in memory find, leave nothing there, and end with their
// context.
func TestSpill(t *testing.T) {
	dir, err := extsort.OpenDir(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	want, err := Find(input(), Options{})
	if err != nil {
		t.Fatal(err)
	}
	got, err := Find(input(), Options{NewSorter: Spill(t.Context(), dir, 64<<10)})
	if err != nil || len(want.Collections) != 1 || !reflect.DeepEqual(got.Collections, want.Collections) {
		t.Errorf("%d collections with a spill, %d without: %v", len(got.Collections),
			len(want.Collections), err)
	}
	if names, err := dir.Names(); err != nil || len(names) != 0 {
		t.Errorf("left on disk: %q %v", names, err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Find(input(),
		Options{NewSorter: Spill(ctx, dir, 64<<10)}); !errors.Is(err,
		context.Canceled) {
		t.Errorf("after the end: %v", err)
	}
	if err := dir.Close(); err != nil {
		t.Error(err)
	}
}
