package main

import (
	"context"
	"fmt"
	"slices"

	"github.com/alecthomas/kong"

	"watershed/configs"
	"watershed/harvest"
	"watershed/harvest/decision"
	"watershed/internal/console"
	"watershed/ui"
)

// decideCommand keeps what an archivist decides on a harvest's pages. A run under way settles it at
// once.
type decideCommand struct {
	In       ruled          `cmd:""`
	Out      ruled          `cmd:""`
	Soft     ruled          `cmd:""`
	Exclude  ruled          `cmd:""`
	Alpha    decideAlpha    `cmd:""`
	Withdraw decideWithdraw `cmd:""`
	List     decideList     `cmd:""`
	clusterFlag
}

// decideFlags are those of every decision.
type decideFlags struct {
	Site string `placeholder:"NAME"`
	orderFlags
}

// deciding is a command that decides something.
type deciding interface {
	// edit gives what the command, of that name, changes in a list, and tells what it has changed.
	edit(name, by string) (func(*decision.List) (said string, err error), error)
}

func (f *decideFlags) put(d decision.Decision, by string) (func(*decision.List) (string, error), error) {
	d.Site, d.By, d.Note, d.Time = f.Site, by, f.Note, now()
	if err := d.Validate(); err != nil {
		return nil, &exitError{code: exitUsage, err: err}
	}
	return func(l *decision.List) (string, error) {
		changed, err := l.Put(d)
		if !changed {
			return "that was decided before", err
		}
		return d.String(), err
	}, nil
}

// countsLater says when a decision counts for which no run was told of it.
const countsLater = "No run takes orders now: it counts when the harvest goes on, or begins anew."

// change changes the decisions, and prints what a run made of it, or that it counts later.
func (f *decideFlags) change(ctx context.Context, s console.Streams, file string, c deciding, name string,
) error {
	change, err := c.edit(name, author(ctx))
	if err != nil {
		return err
	}
	config, err := load(file)
	if err != nil {
		return err
	}
	if _, back := c.(*decideWithdraw); !back { // what was decided on a site that is gone may be taken back
		if err := hasSite(&config, f.Site); err != nil {
			return err
		}
	}
	said := ""
	done, taken, err := folderOf(&config).Decide(ctx, author(ctx), func(l *decision.List) (err error) {
		said, err = change(l)
		return err
	})
	if err != nil {
		return err
	}
	if !taken && !f.JSON {
		_, err := fmt.Fprintf(s.Out, "%s\n%s\n", said, countsLater)
		return err
	}
	return printEntries(s.Out, done, f.JSON, said)
}

// hasSite reports a site that a harvest does not have.
func hasSite(config *configs.Harvest, name string) error {
	names := ui.HarvestOf(config).Sites
	if name == "" || slices.Contains(names, name) {
		return nil
	}
	return &exitError{code: exitUsage, err: fmt.Errorf("the harvest has no site %q; it has %q", name, names)}
}

// ruled is a decision on the pages of a rule: the one that the command is named by.
type ruled struct {
	order
	Rule  string `arg:""`
	Below bool
	decideFlags
}

func (c *ruled) Run(ctx context.Context, s console.Streams, call *kong.Context) error {
	return c.change(ctx, s, c.File, c, call.Selected().Name)
}

func (c *ruled) edit(name, by string) (func(*decision.List) (string, error), error) {
	r, err := decision.RuleOf(c.Rule, c.Below)
	if err != nil {
		return nil, &exitError{code: exitUsage, err: err}
	}
	return c.put(decision.Decision{Do: name, Rule: r}, by)
}

type decideAlpha struct {
	order
	Alpha float64 `arg:""`
	decideFlags
}

func (c *decideAlpha) Run(ctx context.Context, s console.Streams) error {
	return c.change(ctx, s, c.File, c, "")
}

func (c *decideAlpha) edit(_, by string) (func(*decision.List) (string, error), error) {
	return c.put(decision.Decision{Do: decision.Alpha, Alpha: c.Alpha}, by)
}

type decideWithdraw struct {
	order
	Rule  string `arg:""`
	Below bool
	decideFlags
}

func (c *decideWithdraw) Run(ctx context.Context, s console.Streams) error {
	return c.change(ctx, s, c.File, c, "")
}

func (c *decideWithdraw) edit(_, by string) (func(*decision.List) (string, error), error) {
	var subjects []decision.Decision
	if c.Rule == decision.Alpha {
		subjects = []decision.Decision{{Do: decision.Alpha, Site: c.Site}}
	} else {
		r, err := decision.RuleOf(c.Rule, c.Below)
		if err != nil {
			return nil, &exitError{code: exitUsage, err: err}
		}
		subjects = []decision.Decision{
			{Do: decision.In, Site: c.Site, Rule: r},
			{Do: decision.Exclude, Site: c.Site, Rule: r},
		}
	}
	end := decision.Change{By: by, Time: now(), Note: c.Note}
	return func(l *decision.List) (said string, err error) {
		for _, d := range subjects {
			if found := l.Find(d); found != nil {
				said = "withdrawn: " + found.String()
				if err := l.Withdraw(d, end); err != nil {
					return "", err
				}
			}
		}
		if said == "" {
			return "", fmt.Errorf("%s: %w", subjects[0].Subject(), decision.ErrUnknown)
		}
		return said, nil
	}, nil
}

type decideList struct {
	order
	JSON bool `name:"json"`
}

func (c *decideList) Run(s console.Streams, config *configs.Harvest) error {
	l, err := harvest.ReadDecisions(folderOf(config).Decisions())
	if err != nil {
		return err
	}
	if c.JSON {
		return console.JSON(s.Out, decision.List{
			Decisions: append([]decision.Decision{}, l.Decisions...),
			Withdrawn: append([]decision.Withdrawn{}, l.Withdrawn...),
		})
	}
	for i := range l.Decisions {
		if _, err := fmt.Fprintln(s.Out, l.Decisions[i].String()); err != nil {
			return err
		}
	}
	if len(l.Decisions) == 0 {
		_, err = fmt.Fprintln(s.Out, "nothing was decided by hand")
	}
	return err
}
