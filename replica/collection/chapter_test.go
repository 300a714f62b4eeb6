package collection

import (
	"fmt"
	"strings"
	"testing"

	"watershed/page"
)

// manuals is a web with copies of two manuals, of 30 pages each, that share a chapter of 12; and,
// if asked for, a host that has a copy of the first one's chapter alone. A page of the one's
// chapter is so like one of the other's as across says.
func manuals(copies int, alone bool, across float64) Input {
	var in Input
	var work []byte
	add := func(host, path string, cluster int, of byte) {
		in.Pages = append(in.Pages, Page{URL: page.URL("http://" + host + ".example/" + path)})
		in.Clusters = append(in.Clusters, uint32(cluster))
		work = append(work, of)
	}
	chapter := func(host, dir string, of byte) {
		for i := range 12 {
			add(host, fmt.Sprintf("%sc%02d", dir, i), 200+i, of)
		}
	}
	for k := range copies {
		for i := range 30 {
			add(fmt.Sprintf("f%d", k), fmt.Sprintf("flask/f%02d", i), i, 'f')
			add(fmt.Sprintf("w%d", k), fmt.Sprintf("werkzeug/w%02d", i), 100+i, 'w')
		}
		chapter(fmt.Sprintf("f%d", k), "flask/deploying/", 'f')
		chapter(fmt.Sprintf("w%d", k), "werkzeug/deployment/", 'w')
	}
	if alone {
		chapter("x", "deploying/", 'f')
	}
	in.Resemblance = func(p, q uint32) float64 {
		if work[p] == work[q] {
			return 1
		}
		return across
	}
	return in
}

func TestSharedChapter(t *testing.T) {
	for _, c := range []struct {
		name   string
		alone  bool
		across float64
		want   string // replicas of the collection of chapters, by the first letter of their hosts
	}{
		{name: "two works share a chapter", across: 0.6},
		{name: "as alike as editions", across: 0.85, want: "ffffwwww"},
		{name: "one of the works has its chapter copied alone", alone: true, across: 0.6, want: "ffffx"},
	} {
		t.Run(c.name, func(t *testing.T) {
			in := manuals(4, c.alone, c.across)
			r := mustFind(t, in, Options{})
			works, chapters := 0, ""
			for i := range r.Collections {
				x := &r.Collections[i]
				if x.Size >= 30 {
					works++
					continue
				}
				var hosts []string
				for _, y := range x.Replicas {
					hosts = append(hosts, string(y.Host[:1]))
				}
				chapters += sortedLetters(hosts)
			}
			if works != 2 || chapters != c.want {
				t.Errorf("%d works and chapters of %q, want 2 and %q", works, chapters, c.want)
			}
			in.Resemblance = nil
			if r := mustFind(t, in, Options{}); r.Stats.Chapters != 0 {
				t.Errorf("%d chapters are told apart without resemblances", r.Stats.Chapters)
			}
		})
	}
}

func sortedLetters(list []string) string {
	var b strings.Builder
	for _, c := range "fwx" {
		for _, s := range list {
			if s == string(c) {
				b.WriteString(s)
			}
		}
	}
	return b.String()
}

// TestRepresentativeOfItsOwn: what else a host holds copies of does not make it the representative.
func TestRepresentativeOfItsOwn(t *testing.T) {
	var in Input
	add := func(host, path string, cluster int) {
		in.Pages = append(in.Pages, Page{URL: page.URL("http://" + host + ".example/" + path)})
		in.Clusters = append(in.Clusters, uint32(cluster))
	}
	for _, host := range []string{"a", "b", "c"} {
		for i := range 40 {
			if host == "a" && i >= 20 {
				break // a partial copy
			}
			add(host, fmt.Sprintf("doc/p%02d", i), i)
		}
	}
	// within the directory of the partial copy, with likenesses elsewhere and under other names
	for i := range 60 {
		add("a", fmt.Sprintf("doc/own/o%02d", i), 100+i)
		add("d", fmt.Sprintf("x%02d", i), 100+i)
	}
	r := mustFind(t, in, Options{})
	if len(r.Collections) == 0 {
		t.Fatal("no collection")
	}
	if rep := r.Collections[0].Representative(); rep.Host == "a.example" || len(rep.Pairs) != 40 {
		t.Errorf("%s with %d pages represents", rep.Prefix, len(rep.Pairs))
	}
}
