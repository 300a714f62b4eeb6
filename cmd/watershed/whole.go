package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/sync/errgroup"

	"watershed/cluster"
	"watershed/configs"
	"watershed/harvest"
	"watershed/internal/console"
	"watershed/report"
	"watershed/ui"
)

// reply is what the node of a shard answers.
type reply struct {
	out, said bytes.Buffer
	err       error // of the command, with what was said, or that there is no answer
}

// askedAtOnce is how many shards are asked at the same time.
const askedAtOnce = 8

// askAll has the nodes run a command for shards, and gives their replies in the same order. A shard that no
// node has begun has an empty one, in which that is said.
func askAll(ctx context.Context, m *cluster.Member, shards []cluster.ShardID, args []string) []reply {
	list := make([]reply, len(shards))
	var group errgroup.Group
	group.SetLimit(askedAtOnce)
	for i, id := range shards {
		group.Go(func() error {
			r := &list[i]
			code, err := askShard(ctx, m, id, args, &bounded{to: &r.out, left: mostAnswer},
				&bounded{to: &r.said, left: mostAnswer})
			if err == nil && code != exitOK {
				err = &exitError{code, fmt.Errorf("%s: %s", id, strings.TrimSpace(r.said.String()))}
				r.said.Reset()
			}
			r.err = err
			return nil
		})
	}
	_ = group.Wait() // the replies have the errors
	return list
}

// readTables reads the reports of a shard's run among its results. A run that was not delivered has none.
func readTables(folder string, x *cluster.ShardRecord) (*report.Tables, error) {
	t := &report.Tables{}
	text, err := harvest.ReadFile(filepath.Join(harvest.Run(folder).Reports(), "report.json"))
	if errors.Is(err, fs.ErrNotExist) {
		t.Report = &report.Report{Ending: &report.Ending{Ended: report.Complete}}
		if x.Code != exitOK {
			t.Ending.Ended, t.Ending.Cause = report.Failed, x.Said
		}
		return t, nil
	}
	if err == nil {
		err = json.Unmarshal(text, t)
	}
	if err != nil {
		return nil, fmt.Errorf("the reports in %s: %w", folder, err)
	}
	return t, nil
}

// mergeReports makes the report of a round of those of its shards, with the sites in the order of the YAML.
func mergeReports(config *configs.Harvest, round int, parts []*report.Tables) *report.Report {
	place := map[string]int{}
	for i := range config.Sites {
		place[config.Sites[i].Name] = i
	}
	r := report.Merge(parts)
	r.Harvest, r.Run = config.Harvest, round
	slices.SortStableFunc(r.Seeds, func(a, b *report.Seed) int { return place[a.Site] - place[b.Site] })
	slices.SortStableFunc(r.Sites, func(a, b *report.Site) int { return place[a.Name] - place[b.Name] })
	return r
}

// reportShared prints the reports of a shared harvest, or the one of that name, merged from those of the
// shards as they stand. The error names shards of which nothing is in them.
func reportShared(ctx context.Context, m *cluster.Member, s console.Streams, config *configs.Harvest,
	name string, asJSON bool,
) error {
	b := m.Board()
	shards := b.Of(config.Harvest)
	var parts []*report.Tables
	var errs []error
	for i, r := range askAll(ctx, m, shards, []string{"report", cluster.FileArg, "--json"}) {
		part := &report.Tables{Report: &report.Report{}} // nothing is there yet
		if errs = append(errs, r.err); r.err == nil && r.out.Len() > 0 {
			errs = append(errs, json.Unmarshal(r.out.Bytes(), part))
		}
		parts = append(parts, part)
		if said := strings.TrimSpace(r.said.String()); r.out.Len() > 0 && said != "" {
			fmt.Fprintf(s.Err, "%s: %s\n", shards[i], said)
		} else if said != "" {
			fmt.Fprintln(s.Err, said)
		}
	}
	whole, names := mergeReports(config, b.Harvests[config.Harvest].Round, parts), report.Names
	if asJSON {
		return errors.Join(append(errs, whole.JSON(console.Whole(s.Out)))...)
	}
	if name != "" {
		names = []string{name}
	}
	for _, n := range names {
		if name == "" {
			fmt.Fprintln(s.Out, styleOf(s.Out).strong("== "+n))
		}
		var text bytes.Buffer
		if err := errors.Join(whole.Text(&text, n), printReport(s.Out, text.Bytes())); err != nil {
			return err
		}
	}
	return errors.Join(errs...)
}

// siteStanding is how a site of a shared harvest stands.
type siteStanding struct {
	name string
	run  *ui.Status // of its shard
	site *ui.SiteStatus
	why  string // nothing is told of it; "" where site is there
}

// standings tell how the first sites of the YAML stand, so many at most.
func standings(ctx context.Context, m *cluster.Member, config *configs.Harvest, most int,
) (list []siteStanding) {
	b := m.Board()
	count := cmp.Or(b.Harvests[config.Harvest].Count, configs.Shards)
	sites := config.Sites[:min(len(config.Sites), most)]
	shards := make([]cluster.ShardID, len(sites))
	var asked []cluster.ShardID
	for i := range sites {
		shards[i] = cluster.ShardID{Harvest: config.Harvest, Shard: sites[i].ShardOf(count)}
		if x := b.At(shards[i]); x.Begun && x.Node != "" && !slices.Contains(asked, shards[i]) {
			asked = append(asked, shards[i])
		}
	}
	told := map[cluster.ShardID]siteStanding{}
	for i, r := range askAll(ctx, m, asked, []string{standingQuestion}) {
		x := siteStanding{why: "its run is being begun"}
		if err := cmp.Or(r.err, json.Unmarshal(r.out.Bytes(), &x.run)); err != nil {
			x.run, x.why = nil, err.Error()
		}
		told[asked[i]] = x
	}
	for i := range sites {
		x, ok := told[shards[i]]
		if !ok {
			shard := b.At(shards[i])
			x.why = nowhere(&shard)
		}
		if x.name = sites[i].Name; x.run != nil {
			of := func(s ui.SiteStatus) bool { return s.Name == x.name }
			if k := slices.IndexFunc(x.run.Sites, of); k >= 0 {
				x.site, x.why = &x.run.Sites[k], ""
			}
		}
		list = append(list, x)
	}
	return list
}
