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

// asking is a command that gives an order.
type asking interface {
	asks(name string) (control.Order, error)
}

// give gives the order of a command to the run under way, and prints what came of it.
func (f *orderFlags) give(ctx context.Context, s console.Streams, file string, c asking, call *kong.Context,
) error {
	o, err := c.asks(call.Selected().Name)
	if err != nil {
		return err
	}
	config, err := load(file)
	if err != nil {
		return err
	}
	o.By = author(ctx)
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
	return c.give(ctx, s, c.File, c, call)
}

func (c *plainOrder) asks(name string) (control.Order, error) {
	return control.Order{Do: name, Note: c.Note}, nil
}

type controlDelay struct {
	order
	Host  string           `arg:""`
	Delay configs.Duration `arg:""`
	orderFlags
}

func (c *controlDelay) Run(ctx context.Context, s console.Streams, call *kong.Context) error {
	return c.give(ctx, s, c.File, c, call)
}

func (c *controlDelay) asks(name string) (control.Order, error) {
	host, err := hostOf(c.Host)
	return control.Order{Do: name, Host: host, Seconds: c.Delay.Std().Seconds(), Note: c.Note}, err
}

type controlLimit struct {
	order
	What  string `arg:"" enum:"pages,files,bytes,time"`
	Value string `arg:""`
	Host  string `placeholder:"HOST"`
	orderFlags
}

func (c *controlLimit) Run(ctx context.Context, s console.Streams, call *kong.Context) error {
	return c.give(ctx, s, c.File, c, call)
}

func (c *controlLimit) asks(name string) (control.Order, error) {
	host, err := hostOf(c.Host)
	if err != nil {
		return control.Order{}, err
	}
	n, err := limitOf(c.What, c.Value)
	if err != nil {
		return control.Order{}, &exitError{code: exitUsage, err: err}
	}
	return control.Order{Do: name, Limit: c.What, Value: n, Host: host, Note: c.Note}, nil
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
