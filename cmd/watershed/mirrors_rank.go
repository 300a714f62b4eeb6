package main

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"os"

	"watershed/harvest"
	"watershed/internal/console"
	"watershed/internal/extsort"
	"watershed/replica/mirror"
)

// mirrorsRank ranks pairs of hosts, and writes them in the form that verify reads.
type mirrorsRank struct {
	File    string  `arg:"" help:"Harvest YAML, whose runs tell URLs, links, addresses, alike pages and declarations."`
	Least   float64 `default:"0" help:"Least score of a pair: a probability, on webs like those that its weights were fitted to."`
	Most    int     `default:"100" help:"Most pairs."`
	MinURLs int     `name:"min-urls" default:"10" help:"URLs that a host must have."`
	JSON    bool    `name:"json" help:"Print JSON."`
	Output  string  `short:"o" placeholder:"FILE" help:"Write the pairs as CSV, which mirrors verify --from reads."`
}

func (c *mirrorsRank) Run(ctx context.Context, s console.Streams) error {
	o := mirror.Options{MinURLs: c.MinURLs, Seed: 1}
	if err := o.Validate(); err != nil {
		return err
	}
	r, err := c.rank(ctx, o)
	if err != nil {
		return err
	}
	list := r.Candidates(mirror.Fused, c.Least, c.Most)
	if c.Output != "" {
		if err := console.WriteFile(c.Output, func(w io.Writer) error {
			return mirror.WriteCandidates(w, list)
		}); err != nil {
			return err
		}
	}
	if c.JSON {
		return console.JSON(s.Out, orEmpty(list))
	}
	return r.WriteCandidates(s.Out, list)
}

// rank ranks with sorts in a folder of its own.
func (c *mirrorsRank) rank(ctx context.Context, o mirror.Options) (r *mirror.Result, err error) {
	config, err := load(c.File)
	if err != nil {
		return nil, err
	}
	plan, err := planOf(&config, slog.New(slog.DiscardHandler))
	if err != nil {
		return nil, err
	}
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
	return harvest.Rank(ctx, folderOf(&config), plan, spill, o)
}
