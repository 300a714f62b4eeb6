package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/alecthomas/kong"

	"watershed/configs"
	"watershed/harvest/control"
	"watershed/internal/console"
	"watershed/page"
)

// controlCommand gives orders to a harvest that another process has under way.
type controlCommand struct {
	Pause  plainOrder   `cmd:""`
	Resume plainOrder   `cmd:""`
	Stop   plainOrder   `cmd:""`
	Delay  controlDelay `cmd:""`
	Limit  controlLimit `cmd:""`
	clusterFlag
}

// order is what every order has.
type order struct {
	File string `arg:""`
}

// orderFlags are those of every order.
type orderFlags struct {
	Note string `placeholder:"TEXT"`
	JSON bool   `name:"json"`
}

// give gives an order to the run under way, and prints what came of it.
func (f *orderFlags) give(ctx context.Context, s console.Streams, file string, o control.Order) error {
	config, err := load(file)
	if err != nil {
		return err
	}
	o.By, o.Note = whoami(), f.Note
	a, err := folderOf(&config).Order(ctx, o)
	if err != nil {
		return err
	}
	return printEntries(s.Out, a.Done, f.JSON, cmp.Or(a.Later, "that is so already"))
}

// printEntries prints what an order changed; none says what is so where it changed nothing.
func printEntries(out io.Writer, list []control.Entry, asJSON bool, none string) error {
	if asJSON {
		return console.JSON(out, append([]control.Entry{}, list...))
	}
	if len(list) == 0 {
		_, err := fmt.Fprintln(out, none)
		return err
	}
	for _, e := range list {
		if _, err := fmt.Fprintln(out, e); err != nil {
			return err
		}
	}
	return nil
}

// plainOrder is the order that the command is named by.
type plainOrder struct {
	order
	orderFlags
}

func (c *plainOrder) Run(ctx context.Context, s console.Streams, call *kong.Context) error {
	return c.give(ctx, s, c.File, control.Order{Do: call.Selected().Name})
}

type controlDelay struct {
	order
	Host  string           `arg:""`
	Delay configs.Duration `arg:""`
	orderFlags
}

func (c *controlDelay) Run(ctx context.Context, s console.Streams) error {
	host, err := hostOf(c.Host)
	if err != nil {
		return err
	}
	return c.give(ctx, s, c.File, control.Order{
		Do: control.Delay, Host: host,
		Seconds: c.Delay.Std().Seconds(),
	})
}

type controlLimit struct {
	order
	What  string `arg:"" enum:"pages,files,bytes,time"`
	Value string `arg:""`
	Host  string `placeholder:"HOST"`
	orderFlags
}

func (c *controlLimit) Run(ctx context.Context, s console.Streams) error {
	host, err := hostOf(c.Host)
	if err != nil {
		return err
	}
	n, err := limitOf(c.What, c.Value)
	if err != nil {
		return &exitError{code: exitUsage, err: err}
	}
	return c.give(ctx, s, c.File, control.Order{Do: control.Limit, Limit: c.What, Value: n, Host: host})
}

// limitOf reads a limit as the YAML has it.
func limitOf(what, text string) (int64, error) {
	switch what {
	case control.Bytes:
		size, err := configs.ParseSize(text)
		return size.Bytes(), err
	case control.Seconds:
		d, err := configs.ParseDuration(text)
		return int64(math.Ceil(d.Std().Seconds())), err
	}
	n, err := strconv.ParseInt(strings.ReplaceAll(text, "_", ""), 10, 64)
	if err != nil {
		return 0, fmt.Errorf("%q is no number of %s", text, what)
	}
	return n, nil
}

// hostOf makes a host canonical; "*" stays.
func hostOf(text string) (page.Host, error) {
	if text == "" || text == string(control.EachHost) {
		return page.Host(text), nil
	}
	u, err := page.ParseURL("http://" + text + "/")
	if err != nil || u.PathQuery() != "/" {
		return "", &exitError{code: exitUsage, err: fmt.Errorf("%q is no host", text)}
	}
	return u.Host(), nil
}

// now is when something is decided.
func now() time.Time { return time.Now().UTC().Truncate(time.Second) }
