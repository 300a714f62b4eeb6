package clusterbench

import (
	"bytes"
	"context"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"watershed/replica/cluster"
)

// TestCorpusShape compares the corpus with the figures of the paper's section 7 that it is made
// after.
func TestCorpusShape(t *testing.T) {
	const n = block
	c := newCorpus(n, 1)
	pages, shingles := map[uint64]bool{}, 0
	for d, err := range c.all() {
		if err != nil {
			t.Fatal(err)
		}
		if err := d.Validate(); err != nil {
			t.Fatal(err)
		}
		pages[d.Page] = true
		shingles += len(d.Shingles)
	}
	if len(pages) != n {
		t.Errorf("%d pages of %d documents", len(pages), n)
	}
	if mean := float64(shingles) / n; math.Abs(mean-20) > 1 {
		t.Errorf("%.2f shingles a document, want about 20", mean)
	}
	kinds := map[uint8]int{}
	clusters := map[uint8]map[uint32]bool{copies: {}, mixed: {}}
	for _, m := range c.members {
		if kinds[m.kind]++; m.kind != alone {
			clusters[m.kind][m.cluster] = true
		}
	}
	for _, k := range []struct {
		name string
		kind uint8
		mean float64
	}{{"identical", copies, 5.3 / 2.1}, {"mixed", mixed, 7. / 1.5}} {
		if mean := float64(kinds[k.kind]) / float64(len(clusters[k.kind])); math.Abs(mean/k.mean-1) > .1 {
			t.Errorf("%s clusters have %.2f documents, want about %.2f", k.name, mean, k.mean)
		}
	}
	var a, b cluster.Document
	newCorpus(n, 1).document(77, &a)
	c.document(77, &b)
	if a.Key != b.Key || a.Digest != b.Digest || !slices.Equal(a.Shingles, b.Shingles) {
		t.Error("the same seed gives another document")
	}
}

func TestCommands(t *testing.T) {
	docs := filepath.Join(t.TempDir(), "docs.tsv")
	text := "0\tone two three four five six seven eight\n0\tone two three four five six seven eight " +
		"nine\n1\tquite another text with no such words\n"
	if err := os.WriteFile(docs, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		command interface {
			Run(ctx context.Context, out io.Writer) error
		}
		want string
	}{
		{
			&Cost{N: 2000, Seed: 1, Memory: 512, Limit: 1900, Dir: t.TempDir()},
			"ID-ID pair formation",
		},
		{
			&Documents{Texts: docs, Width: 5, Size: 48, Dir: t.TempDir()},
			"precision 1.0000 recall 1.0000",
		},
	} {
		var out bytes.Buffer
		if err := c.command.Run(t.Context(), &out); err != nil || !strings.Contains(out.String(), c.want) {
			t.Errorf("%+v: %v, %s", c.command, err, out.String())
		}
	}
	if err := (&Documents{Texts: "none", Dir: t.TempDir()}).Run(t.Context(), io.Discard); err == nil {
		t.Error("a file that is not there is read")
	}
}
