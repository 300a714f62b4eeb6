package rankings

import (
	"io"
	"strings"
	"testing"
)

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
