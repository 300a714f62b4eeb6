package replicas

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"net/textproto"
	"os"
	"path/filepath"
	"strings"
	"text/tabwriter"

	"watershed/crawler/extract"
	"watershed/internal/console"
	"watershed/lab/questions"
	"watershed/page"
	"watershed/replica/catalog"
	"watershed/replica/cluster"
	"watershed/replica/sketch"
)

// Similar lists the pages that are like a page or a file.
type Similar struct {
	catalogFlag
	Page  string  `arg:"" name:"url|file"`
	Least float64 `default:"0.5"`
	Limit int     `default:"20"`
}

// similarJSON is a match as JSON has it.
type similarJSON struct {
	URL         page.URL `json:"url"`
	Sweep       uint32   `json:"sweep"`
	Relation    string   `json:"relation"`
	Resemblance float64  `json:"resemblance"`
	Error       float64  `json:"error"`
	Contained   float64  `json:"contained"`  // part of the asked page that is in this one
	Containing  float64  `json:"containing"` // part of this one that is in the asked page
	Sufficient  bool     `json:"sufficient"` // whether the sample is large enough to say so
}

// doubt is the standard error, or that there is too little to say.
func (m *similarJSON) doubt() string {
	if !m.Sufficient {
		return "insufficient sample"
	}
	return fmt.Sprintf("%.3f", m.Error)
}

func (c *Similar) Run(ctx context.Context, s console.Streams) error {
	return c.with(ctx, func(k *catalog.Catalog, x *questions.Collection) error {
		found, err := c.ask(k, x)
		if err != nil {
			return err
		}
		list := make([]similarJSON, len(found))
		for i, m := range found {
			list[i] = similarJSON{
				m.URL, m.Sweep, m.Relation.String(), m.Resemblance.Value,
				m.Resemblance.Error, m.Contained.Value, m.Containing.Value, m.Resemblance.Sufficient() ||
					m.Relation <= questions.LexicallyEquivalent,
			}
		}
		if c.JSON {
			return console.JSON(s.Out, list)
		}
		w := tabwriter.NewWriter(s.Out, 0, 0, 2, ' ', 0)
		fmt.Fprintln(w, "resemblance\t±\tcontained\tcontaining\t\tsweep\tURL")
		for _, m := range list {
			fmt.Fprintf(w, "%.3f\t%s\t%.3f\t%.3f\t%s\t%d\t%s\n", m.Resemblance, m.doubt(), m.Contained,
				m.Containing, m.Relation, m.Sweep, m.URL)
		}
		return w.Flush()
	})
}

func (c *Similar) ask(k *catalog.Catalog, x *questions.Collection) ([]questions.Match, error) {
	o := questions.SimilarOptions{Threshold: c.Least, Limit: c.Limit}
	if u, err := page.ParseURL(c.Page); err == nil {
		return x.SimilarTo(u, o)
	}
	text, err := os.ReadFile(c.Page)
	if err != nil {
		return nil, err
	}
	t, digest, err := sketchOf(c.Page, text, k.Options.Sketch)
	if err != nil {
		return nil, err
	}
	asked := cluster.Document{Digest: digest}
	asked.Take(t)
	found, err := x.Similar(&asked, o)
	if errors.Is(err, questions.ErrSketch) {
		err = fmt.Errorf("%s: %w", c.Page, err)
	}
	return found, err
}

// sketchOf sketches a file as a crawl would sketch the page, and tells its digest as documents have
// it.
func sketchOf(name string, body []byte, o sketch.Options) (*sketch.Sketch, uint64, error) {
	b, err := sketch.NewBuilder(o)
	if err != nil {
		return nil, 0, err
	}
	e, err := extract.New(extract.Options{Driver: extract.Scan})
	if err != nil {
		return nil, 0, err
	}
	in := extract.Input{URL: "http://file.invalid/", Header: textproto.MIMEHeader{}, Body: body, Text: b.Text}
	if kind := mediaTypeOf(name); kind != "" {
		in.Header.Set("Content-Type", kind)
	}
	e.Extract(in) // what of it cannot be read has no text; its bytes can still be those of others
	s := b.Sketch()
	if len(body) == 0 {
		return &s, 0, nil
	}
	sum := sha256.Sum256(body)
	return &s, binary.BigEndian.Uint64(sum[:]), nil
}

// mediaTypeOf is what the end of a file's name says it is: "" where its bytes must tell.
func mediaTypeOf(name string) string {
	switch strings.ToLower(filepath.Ext(name)) {
	case ".txt", ".text", ".md":
		return "text/plain"
	case ".html", ".htm", ".xhtml":
		return "text/html"
	}
	return ""
}
