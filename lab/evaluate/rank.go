package evaluate

import (
	"context"
	"errors"
	"io"
	"os"

	"watershed/internal/console"
	"watershed/internal/extsort"
	"watershed/lab/kit/parameters"
	"watershed/lab/rankings"
	"watershed/replica/mirror"
)

// Rank ranks pairs of hosts that may be mirrors.
type Rank struct {
	From        []string `sep:"none" placeholder:"PATH"`
	URLs        string   `name:"urls" placeholder:"FILE"`
	Links       string   `placeholder:"FILE"`
	Addresses   string   `placeholder:"FILE"`
	Clusters    string   `placeholder:"FILE"`
	Collections string   `placeholder:"FILE"`
	Declared    string   `placeholder:"FILE"`

	Ranking string  `default:"fused"`
	Least   float64 `default:"0"`
	Most    int     `default:"100"`
	MinURLs int     `name:"min-urls" default:"10"`
	Seed    uint64  `default:"1"`
	Memory  int     `default:"512"`

	Parameters string `placeholder:"FILE"`

	JSON   bool   `name:"json"`
	Output string `short:"o" placeholder:"FILE"`
}

func (c *Rank) Run(ctx context.Context, s console.Streams) (err error) {
	if (len(c.From) > 0) == (c.URLs != "") {
		return errors.New("either --from or --urls is needed")
	}
	if c.URLs == "" && c.Links+c.Addresses+c.Clusters+c.Collections+c.Declared != "" {
		return errors.New("lists go with --urls; --from reads lists, too")
	}
	m, err := rankings.ParseMethod(c.Ranking)
	if err != nil {
		return err
	}
	o := mirror.Options{MinURLs: c.MinURLs, Seed: c.Seed, Memory: c.Memory << 20}
	if err := errors.Join(parameters.Read(c.Parameters, &o), o.Validate()); err != nil {
		return err
	}
	bad := &console.Damage{Out: s.Err}
	r, err := c.rank(ctx, bad, o)
	if err != nil {
		return err
	}
	list := r.Candidates(m, c.Least, c.Most)
	if c.Output != "" {
		if err := writeFile(c.Output, func(w io.Writer) error {
			return rankings.WriteCandidates(w, list)
		}); err != nil {
			return err
		}
	}
	if c.JSON {
		return errors.Join(console.JSON(s.Out, append([]mirror.Candidate{}, list...)), bad.Err())
	}
	return errors.Join(rankings.PrintCandidates(s.Out, r, list), bad.Err())
}

// rank ranks with sorts in a folder of its own.
func (c *Rank) rank(ctx context.Context, bad *console.Damage, o mirror.Options) (r *mirror.Result,
	err error,
) {
	folder, err := os.MkdirTemp("", "watershed-mirrors-")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(folder)) }()
	spill, err := extsort.OpenDir(folder)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, spill.Close()) }()
	if len(c.From) > 0 {
		in, err := c.gather(ctx, bad, folder)
		if err != nil {
			return nil, err
		}
		return mirror.Rank(ctx, in, spill, o)
	}
	in, err := readInput(c.URLs, c.Links, c.Addresses, c.Clusters, c.Collections, c.Declared)
	if err != nil {
		return nil, err
	}
	return mirror.Rank(ctx, in, spill, o)
}
