package main

import (
	"bufio"
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"watershed/harvest"
	"watershed/internal/console"
	"watershed/page"
	"watershed/replica/mirror"
	"watershed/replica/prove"
)

// copiesVerify tests entries of the table by fetching what the tests want, and nothing else.
type copiesVerify struct {
	File    string   `arg:""`
	Names   []string `arg:"" optional:""`
	From    string   `placeholder:"FILE"`
	URLs    string   `name:"urls" placeholder:"FILE"`
	Find    int      `placeholder:"N"`
	JSON    bool     `name:"json"`
	JSONLog bool     `name:"json-log"`
	Quiet   bool     `short:"q"`
}

func (c *copiesVerify) Run(ctx context.Context, s console.Streams) error {
	config, err := load(c.File)
	if err != nil {
		return err
	}
	r := newReporter(s.Err, c.JSONLog, c.Quiet)
	plan, err := planOf(&config, r.log)
	if err != nil {
		return err
	}
	o, err := c.verification(ctx, folderOf(&config), plan)
	if err != nil {
		return err
	}
	plan.Crawl.Progress = r.crawling
	o.Opened = func(h *harvest.Harvest) {
		r.attach(h.Run())
		r.phase("testing mirrors")
	}
	var v *harvest.Verified
	err = inCluster(ctx, &config, &plan, r.log, func(ctx context.Context) (err error) {
		v, err = harvest.Verify(ctx, folderOf(&config), plan, o)
		return err
	})
	r.close()
	if v == nil {
		return err
	}
	if c.JSON {
		v.Proved, v.Conflicts = orEmpty(v.Proved), orEmpty(v.Conflicts)
		return errors.Join(console.JSON(s.Out, v), stopped(err))
	}
	return errors.Join(printVerified(s.Out, v), stopped(err))
}

// stopped gives what ended the tests before their time its exit code.
func stopped(err error) error {
	if err := unfinished(err); err != nil {
		return err
	}
	return limitError(err)
}

// verification is what the flags ask for.
func (c *copiesVerify) verification(ctx context.Context, folder harvest.Folder, plan harvest.Plan) (
	o harvest.Verification, err error,
) {
	o = harvest.Verification{Names: c.Names}
	if c.URLs != "" {
		o.Known = readURLs(c.URLs)
	}
	if c.From != "" {
		if o.Pairs, err = readPairs(c.From, folder.Hosts); err != nil {
			return o, err
		}
	}
	if c.Find > 0 {
		likely, err := likeliest(ctx, folder, plan, c.Find)
		if err != nil {
			return o, err
		}
		o.Pairs = append(o.Pairs, likely...)
	}
	return o, nil
}

// likeliest ranks the pairs of hosts that may be mirrors, by what the harvest knows, and gives the
// first. The ranking is sorted in a folder of its own.
func likeliest(ctx context.Context, folder harvest.Folder, plan harvest.Plan, most int) (
	list []prove.Pair, err error,
) {
	spill, remove, err := spillFolder()
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, remove()) }()
	r, err := harvest.Rank(ctx, folder, plan, spill, mirror.Options{})
	if err != nil {
		return nil, err
	}
	for _, x := range r.Candidates(mirror.Fused, 0, most) {
		list = append(list, prove.Pair{A: x.To, B: x.From})
	}
	return list, nil
}

// readPairs reads candidates: a table, or a CSV file of which the columns from and to, or a and b,
// are read; there a name may come often.
func readPairs(path string, hosts func() ([]page.Host, error)) (list []prove.Pair, err error) {
	if _, err := os.Stat(path); err != nil {
		return nil, err
	}
	if !strings.EqualFold(filepath.Ext(path), ".csv") {
		t, err := readReplicas(path, hosts)
		if err != nil {
			return nil, err
		}
		for _, e := range t.All() {
			list = append(list, prove.Pair{A: e.To, B: e.From})
		}
		return list, nil
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close() //nolint:errcheck // only read
	in := csv.NewReader(f)
	head, err := in.Read()
	if err != nil {
		return nil, fmt.Errorf("%s: the line of headings: %w", path, err)
	}
	column := func(names ...string) int {
		return slices.IndexFunc(head, func(h string) bool {
			return slices.Contains(names, strings.ToLower(strings.TrimSpace(h)))
		})
	}
	from, to := column("from", "b"), column("to", "a")
	if from < 0 || to < 0 {
		return nil, fmt.Errorf("%s: the columns from and to, or a and b, are needed", path)
	}
	for {
		row, err := in.Read()
		if err == io.EOF {
			return list, nil
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		list = append(list, prove.Pair{A: row[to], B: row[from]})
	}
}

// readURLs gives the addresses of a file, and passes over other text.
func readURLs(path string) iter.Seq2[page.URL, error] {
	return func(yield func(page.URL, error) bool) {
		f, err := os.Open(path)
		if err != nil {
			yield("", err)
			return
		}
		defer f.Close() //nolint:errcheck // only read
		lines := bufio.NewScanner(f)
		lines.Buffer(nil, 1<<20)
		for lines.Scan() {
			if u, err := page.ParseURL(strings.TrimSpace(lines.Text())); err == nil && !yield(u, nil) {
				return
			}
		}
		if err := lines.Err(); err != nil {
			yield("", fmt.Errorf("read %s: %w", path, err))
		}
	}
}

// printVerified prints each verdict and what became of the entry, the counts in the order of Bharat
// and Broder's Table 2, and the cost.
func printVerified(out io.Writer, v *harvest.Verified) error {
	w := console.NewTable(out)
	var n [prove.ServerFailure + 1]int
	for _, x := range v.Proved {
		n[x.Class]++
		state := "not in the table"
		if x.Entry.From != "" {
			state = x.Entry.State.String()
		}
		fmt.Fprintf(w, "%s\t= %s\t%s\t%s\n", x.B, x.A, state, x.Note())
	}
	if err := w.Flush(); err != nil {
		return err
	}
	fmt.Fprintf(out, "%d pairs:", len(v.Proved))
	for _, k := range []prove.Class{
		prove.Level1, prove.Level2, prove.Level3, prove.Level4, prove.Level5,
		prove.Mirror, prove.Mismatch, prove.ServerFailure, prove.DNSFailure, prove.Undetermined,
	} {
		if n[k] > 0 {
			fmt.Fprintf(out, " %s %d,", k, n[k])
		}
	}
	fmt.Fprintf(out, " open %d\n", v.Open)
	fmt.Fprintf(out, "%d tested, %d inferred, %d contradictions; %d requests asked for, %d pages were "+
		"captured before; %.1f requests for each of %d mirrors\n",
		v.Stats.Tested, v.Stats.Inferred, len(v.Conflicts), v.Stats.Wanted, v.Stats.Held, v.Stats.PerMirror(),
		v.Stats.Mirrors)
	for _, c := range v.Conflicts {
		fmt.Fprintf(out, "contradiction: %s is %s, against what follows from other pairs\n", c.Pair, c.Class)
	}
	if v.Run == "" {
		return nil
	}
	_, err := fmt.Fprintf(out, "fetched: %s, %d captures\n", v.Run.Archive(), v.Kept)
	return err
}
