package evaluate

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
)

// TestInputKind: what is no list is refused with its line.
func TestInputKind(t *testing.T) {
	name := filepath.Join(t.TempDir(), "list")
	for text, want := range map[string]kindOfInput{
		"# a list\nhttp://a.example/x\n":                 urlsInput,
		"http://a.example/x\thttp://b.example/\ta\n":     linksInput,
		"a.example 192.0.2.1\n":                          addressesInput,
		"\ufeff<?xml version=\"1.0\"?><urlset></urlset>": sitemapInput,
		"": urlsInput,
	} {
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		if kind, err := inputKind(name); kind != want || err != nil {
			t.Errorf("%q: kind %d, %v", text, kind, err)
		}
	}
	for _, text := range []string{"\n# x\nnothing known\n", "a.example\n"} {
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		if _, err := inputKind(name); !errors.Is(err, errList) {
			t.Errorf("%q: %v", text, err)
		}
	}
}
