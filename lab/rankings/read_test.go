package rankings

import (
	"bytes"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"

	"watershed/replica/mirror"
)

// TestLists writes an input as lists, and reads what ranks the same.
func TestLists(t *testing.T) {
	in := web()
	in.Collections = func(yield func(mirror.Place, error) bool) {
		_ = yield(mirror.Place{Collection: "c", Host: "a.one.org", Pages: 12}, nil) &&
			yield(mirror.Place{Collection: "c", Host: "b.two.org", Pages: 14}, nil)
	}
	files := map[string]*bytes.Buffer{}
	err := WriteLists(in, func(name string) (io.WriteCloser, error) {
		files[name] = new(bytes.Buffer)
		return keeping{files[name]}, nil
	})
	if err != nil {
		t.Fatal(err)
	}
	open := func(name string) func() (io.ReadCloser, error) {
		return func() (io.ReadCloser, error) {
			if files[name] == nil {
				return io.NopCloser(strings.NewReader("")), nil
			}
			return io.NopCloser(bytes.NewReader(files[name].Bytes())), nil
		}
	}
	again := mirror.Input{
		URLs: ReadURLs(open(urlsList)), Links: ReadLinks(open(linksList)),
		Addresses: ReadAddresses(open(addressesList)), Pages: ReadPages(open(PagesList)),
		Collections: mirror.ReadCollections(open(collectionsList)),
		Declared:    ReadDeclared(open(declaredList)),
	}
	a, b := rank(t, in, mirror.Options{MinURLs: 5}), rank(t, again, mirror.Options{MinURLs: 5})
	for _, m := range Methods() {
		if !slices.Equal(a.Ranking(m), b.Ranking(m)) {
			t.Errorf("%s: %v, then %v", m, a.Ranking(m), b.Ranking(m))
		}
	}
	broken := errors.New("full")
	err = WriteLists(in, func(string) (io.WriteCloser, error) { return nil, broken })
	if !errors.Is(err, broken) {
		t.Error(err)
	}
}

type keeping struct{ *bytes.Buffer }

func (keeping) Close() error { return nil }

func TestReaders(t *testing.T) {
	open := func(text string) func() (io.ReadCloser, error) {
		return func() (io.ReadCloser, error) { return io.NopCloser(strings.NewReader(text)), nil }
	}
	sorted, err := SortURLs(open("http://b/2\nhttps://a/1\nhttp://b\nhttp://a/0\nhttp://a/1\nrubbish\n"))
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for u := range sorted {
		got = append(got, string(u))
	}
	if want := "http://a/0 https://a/1 http://b http://b/2"; strings.Join(got, " ") != want {
		t.Error(got)
	}
	n := 0
	for l, err := range ReadLinks(
		open("#c\nhttp://a/\thttp://b/\ta\nhttp://a/\thttp://b/x.png\ti\nhttp://a/\thttp://c/\n")) {
		if err != nil || len(l.To) == 0 {
			t.Error(l, err)
		}
		n++
	}
	if n != 2 {
		t.Errorf("%d links", n)
	}
	failed := 0
	for _, err := range ReadAddresses(open("a\t1.2.3.4\nb\tnone\n")) {
		if err != nil {
			failed++
		}
	}
	for _, err := range ReadDeclared(open("alias\ta\tb\nnonsense\ta\tb\n")) {
		if err != nil {
			failed++
		}
	}
	if failed != 2 {
		t.Errorf("%d lists failed", failed)
	}
}
