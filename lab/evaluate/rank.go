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

// Rank ranks pairs of hosts, and writes them in the form that verify reads.
type Rank struct {
	From        []string `sep:"none" placeholder:"PATH" help:"Files of these kinds, in any mixture: WARC file, WACZ package or folder of them; CDXJ index; site map; list of URLs, of links (two URLs a line), of hosts with their addresses. May be given several times."`
	URLs        string   `name:"urls" placeholder:"FILE" help:"Or lists, one by one: list of URLs."`
	Links       string   `placeholder:"FILE" help:"Links: two URLs a line."`
	Addresses   string   `placeholder:"FILE" help:"Hosts and addresses."`
	Clusters    string   `placeholder:"FILE" help:"Clusters of alike pages: number, URL. All other URLs of the list count as read, and like no other."`
	Pages       string   `placeholder:"FILE" help:"Instead, all pages that were read: cluster, URL and the least fingerprints of the text."`
	Collections string   `placeholder:"FILE" help:"Replicated collections: name, host, prefix, pages."`
	Declared    string   `placeholder:"FILE" help:"Declarations: kind, host, target, pages."`

	Ranking string  `default:"fused" help:"Which ranking: fused, topdown, combined, stage1, ..."`
	Least   float64 `default:"0" help:"Least score of a pair; that of fused and topdown is a probability, on webs like those that its weights were fitted to."`
	Most    int     `default:"100" help:"Most pairs."`
	MinURLs int     `name:"min-urls" default:"10" help:"URLs that a host must have."`
	Seed    uint64  `default:"1" help:"Seed of all random choices."`
	Memory  int     `default:"512" help:"Memory for sorting, in MiB."`

	Parameters string `placeholder:"FILE" help:"Parameters of the rankings as JSON, by the names of mirror.Options: {\"Terms\": {\"Reject\": 50}}."`

	JSON   bool   `name:"json" help:"Print JSON."`
	Output string `short:"o" placeholder:"FILE" help:"Write the pairs as CSV, which mirrors verify --from reads."`
}

// Run is the command.
func (c *Rank) Run(ctx context.Context, s console.Streams) (err error) {
	if (len(c.From) > 0) == (c.URLs != "") {
		return errors.New("either --from or --urls is needed")
	}
	if c.URLs == "" && c.Links+c.Addresses+c.Clusters+c.Pages+c.Collections+c.Declared != "" {
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
	in, err := readInput(c.URLs, c.Links, c.Addresses, c.Clusters, c.Pages, c.Collections, c.Declared)
	if err != nil {
		return nil, err
	}
	return mirror.Rank(ctx, in, spill, o)
}
