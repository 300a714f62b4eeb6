package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/sync/errgroup"

	"watershed/cluster"
	"watershed/configs"
	"watershed/crawler"
	"watershed/drift"
	"watershed/harvest"
	"watershed/internal/console"
	"watershed/internal/disk"
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
func askAll(ctx context.Context, m *cluster.Member, shards []cluster.ShardID,
	args func(cluster.ShardID) []string,
) []reply {
	list := make([]reply, len(shards))
	var group errgroup.Group
	group.SetLimit(askedAtOnce)
	for i, id := range shards {
		group.Go(func() error {
			r := &list[i]
			code, err := askShard(ctx, m, id, args(id), &bounded{to: &r.out, left: mostAnswer},
				&bounded{to: &r.said, left: mostAnswer})
			if err == nil && code != exitOK {
				said := strings.TrimPrefix(strings.TrimSpace(r.said.String()), "watershed: ")
				err = &exitError{code, fmt.Errorf("%s: %s", id, said)}
				r.said.Reset()
			}
			r.err = err
			return nil
		})
	}
	_ = group.Wait() // the replies have the errors
	return list
}

// just has each shard asked the same.
func just(args ...string) func(cluster.ShardID) []string {
	return func(cluster.ShardID) []string { return args }
}

// readTables reads the reports of a shard's run among its results. A run that was not delivered has none.
func readTables(folder string, x *cluster.ShardRecord) (*report.Tables, error) {
	t, err := disk.FindJSON[report.Tables](filepath.Join(harvest.Run(folder).Reports(), "report.json"))
	if err != nil || t != nil {
		return t, err
	}
	e := &report.Ending{Ended: report.Complete}
	if x.Code != exitOK {
		e.Ended, e.Cause = report.Failed, x.Said
	}
	return &report.Tables{Report: &report.Report{Ending: e}}, nil
}

// placesOf are the places of the sites in the YAML, by name.
func placesOf(config *configs.Harvest) map[string]int {
	place := map[string]int{}
	for i := range config.Sites {
		place[config.Sites[i].Name] = i
	}
	return place
}

// mergeReports makes the report of a round of those of its shards, with the sites in the order of the YAML.
func mergeReports(config *configs.Harvest, round int, parts []*report.Tables) *report.Report {
	place := placesOf(config)
	r := report.Merge(parts)
	r.Harvest, r.Run = config.Harvest, round
	slices.SortStableFunc(r.Seeds, func(a, b *report.Seed) int { return place[a.Site] - place[b.Site] })
	slices.SortStableFunc(r.Sites, func(a, b *report.Site) int { return place[a.Name] - place[b.Name] })
	return r
}

// partsOf are the answers, in JSON, of those shards of a harvest that have told figures in its round, and
// which shards those are. Messages of nodes are printed. The error names shards that do not answer.
func partsOf[T any](ctx context.Context, m *cluster.Member, s console.Streams, harvest string,
	args func(x *cluster.ShardRecord) []string,
) (parts []*T, of []cluster.ShardID, err error) {
	b := m.Board()
	begun := slices.DeleteFunc(b.Of(harvest), func(id cluster.ShardID) bool { return !b.Begun(id) })
	if n := len(b.Of(harvest)) - len(begun); n > 0 {
		fmt.Fprintf(s.Err, "nothing is told of what has brought nothing yet in round %d: %s\n",
			b.Harvests[harvest].Round, console.Plural(n, "shard", "shards"))
	}
	var errs []error
	for i, r := range askAll(ctx, m, begun, func(id cluster.ShardID) []string {
		x := b.At(id)
		return args(&x)
	}) {
		if said := strings.TrimSpace(r.said.String()); said != "" {
			fmt.Fprintf(s.Err, "%s: %s\n", begun[i], said)
		}
		lost := b.At(begun[i]).Lost
		switch part := new(T); {
		case r.err != nil && len(lost) > 0:
			errs = append(errs, fmt.Errorf("%w; what it had before was lost with node %s", r.err,
				lost[len(lost)-1].Node))
		case r.err != nil:
			errs = append(errs, r.err)
		case r.out.Len() > 0:
			errs, parts = append(errs, json.Unmarshal(r.out.Bytes(), part)), append(parts, part)
			of = append(of, begun[i])
		}
	}
	return parts, of, errors.Join(errs...)
}

// met reports that a shard has wanted or captured the URL of an explanation.
func met(x *harvest.Explanation) bool { return x.Fetching != nil || x.Capture != nil }

// near is how near a shard comes to a URL that it has not met: the more, the more pages of a site of
// it link there. A shard whose site would have the URL comes before a shard that has met its host alone.
func near(x *harvest.Explanation) (most int) {
	if x.Host != nil {
		most = 1
	}
	for _, s := range x.Sites {
		if most = max(most, 3*s.Links); s.Below != "" || s.Left != nil {
			most = max(most, 2)
		}
	}
	return most
}

// whole tells what those shards know of a URL that have met it; where none has, what the nearest says, if
// all answer, and none that has brought nothing yet may be nearer: another one may know better.
func (c *explainCommand) whole(ctx context.Context, m *cluster.Member, s console.Streams,
	config *configs.Harvest,
) error {
	args := []string{"explain", cluster.FileArg, c.URL, "--json"}
	if c.At != nil {
		args = append(args, fmt.Sprintf("--at=%g", *c.At))
	}
	if _, err := c.url(); err != nil {
		return err
	}
	known, of, failed := partsOf[harvest.Explanation](ctx, m, s, config.Harvest,
		func(*cluster.ShardRecord) []string { return args })
	all, nearest := slices.ContainsFunc(known, met), 0
	if failed != nil && !all && len(known) > 0 {
		return fmt.Errorf("of the shards that answer none has met the URL, and the others may have: %w",
			failed)
	}
	for i, x := range known {
		if near(x) > near(known[nearest]) {
			nearest = i
		}
	}
	if n := len(m.Board().Of(config.Harvest)) - len(of); !all && n > 0 &&
		(len(known) == 0 || near(known[nearest]) == 0) {
		return cmp.Or(failed, fmt.Errorf("no shard has met the URL, its host, or a link to it, and %d "+
			"have brought nothing yet: ask again when they have", n))
	}
	for i, x := range known {
		switch {
		case all && !met(x), !all && i != nearest:
		case c.JSON:
			failed = errors.Join(failed, console.JSON(s.Out, x))
		default:
			fmt.Fprintf(s.Out, "%s:\n", styleOf(s.Out).strong(of[i].String()))
			which := "--cluster " + quoted(c.Cluster) + " " + quoted(c.File)
			failed = errors.Join(failed, printExplanation(s, which, x))
		}
	}
	return failed
}

// whole prints the reports of a shared harvest, merged from those of the shards as they stand. The error
// names shards of which nothing is in them.
func (c *reportCommand) whole(ctx context.Context, m *cluster.Member, s console.Streams,
	config *configs.Harvest,
) error {
	parts, _, failed := partsOf[report.Tables](ctx, m, s, config.Harvest,
		func(*cluster.ShardRecord) []string { return []string{"report", cluster.FileArg, "--json"} })
	if len(parts) == 0 && failed != nil {
		return failed
	}
	for range len(m.Board().Of(config.Harvest)) - len(parts) {
		parts = append(parts, &report.Tables{Report: &report.Report{}}) // of which nothing is there yet
	}
	whole, names := mergeReports(config, m.Board().Harvests[config.Harvest].Round, parts), report.Names
	if c.JSON {
		return errors.Join(failed, whole.JSON(console.Whole(s.Out)))
	}
	if c.Name != "" {
		names = []string{c.Name}
	}
	for _, n := range names {
		if c.Name == "" {
			fmt.Fprintln(s.Out, styleOf(s.Out).strong("== "+n))
		}
		var text bytes.Buffer
		if err := errors.Join(whole.Text(&text, n), printReport(s.Out, text.Bytes())); err != nil {
			return err
		}
	}
	if c.Name == "" {
		printDamaged(s.Out, whole.Ending)
	}
	return failed
}

// whole prints what all shards left out in a round as if one run had.
func (c *skippedCommand) whole(ctx context.Context, m *cluster.Member, s console.Streams,
	config *configs.Harvest,
) error {
	ask := func(by string, most int) (parts []*ui.SkippedModel, err error) {
		args := func(x *cluster.ShardRecord) []string {
			args := []string{
				"skipped", cluster.FileArg, "--json", "--reason=" + c.Reason, "--host=" + c.Host,
				"--rule=" + c.Rule, "--site=" + c.Site, "--prefix=" + c.Prefix, "--by=" + by,
				"--limit=" + strconv.Itoa(most),
			}
			if c.Number > 0 {
				args = append(args, "--run="+strconv.Itoa(x.Run(c.Number)))
			}
			return args
		}
		parts, _, err = partsOf[ui.SkippedModel](ctx, m, s, config.Harvest, args)
		return parts, err
	}
	most := c.Limit
	if c.By != "" { // each shard is to tell all groups
		most = 0
	}
	lines, failed := ask(c.By, most)
	groups := lines
	if c.By == "" && c.JSON && failed == nil {
		groups, failed = ask("reason", 0)
	}
	if len(lines) == 0 && failed != nil {
		return failed
	}
	round := cmp.Or(c.Number, m.Board().Harvests[config.Harvest].Round)
	run := filepath.Base(harvest.Folder("").Round(round))
	return errors.Join(failed, c.print(s, ui.MergeLeftOut(run, lines, groups, c.Limit)))
}

// whole prints what has changed in all shards between two rounds.
func (c *changesCommand) whole(ctx context.Context, m *cluster.Member, s console.Streams,
	config *configs.Harvest,
) error {
	older, newer := c.runs(m.Board().Harvests[config.Harvest].Round)
	if older < 1 || older >= newer {
		return fmt.Errorf("nothing to compare: round %d with round %d", older, newer)
	}
	parts, _, failed := partsOf[drift.Report](ctx, m, s, config.Harvest,
		func(x *cluster.ShardRecord) []string {
			return []string{
				"changes", cluster.FileArg, strconv.Itoa(x.Run(older)), strconv.Itoa(x.Run(newer)), "--json",
			}
		})
	if len(parts) == 0 && failed != nil {
		return failed
	}
	r := drift.Merge(parts)
	r.Old, r.New = older, newer
	place := placesOf(config)
	slices.SortStableFunc(r.Sites, func(a, b drift.SiteDrift) int { return place[a.Name] - place[b.Name] })
	return errors.Join(failed, c.print(s, r))
}

// siteStanding is how a site of a shared harvest stands.
type siteStanding struct {
	name string
	run  *ui.Status // of its shard
	site *crawler.SiteProgress
	why  string // nothing is told of it; "" where site is there
}

// standings tell how the first sites of the YAML stand, so many at most.
func standings(ctx context.Context, m *cluster.Member, config *configs.Harvest, most int,
) (list []siteStanding) {
	b := m.Board()
	count := b.Harvests[config.Harvest].Count
	sites := config.Sites[:min(len(config.Sites), most)]
	shards := make([]cluster.ShardID, len(sites))
	var asked []cluster.ShardID
	for i := range sites {
		shards[i] = cluster.ShardID{Harvest: config.Harvest, Shard: sites[i].ShardOf(count)}
		if x := b.At(shards[i]); b.Begun(shards[i]) && x.Node != "" && !slices.Contains(asked, shards[i]) {
			asked = append(asked, shards[i])
		}
	}
	told := map[cluster.ShardID]siteStanding{}
	for i, r := range askAll(ctx, m, asked, just(standingQuestion)) {
		x := siteStanding{why: "its node has no run of it any more"}
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
			of := func(s crawler.SiteProgress) bool { return s.Name == x.name }
			if k := slices.IndexFunc(x.run.Sites, of); k >= 0 {
				x.site, x.why = &x.run.Sites[k], ""
			}
		}
		list = append(list, x)
	}
	return list
}
