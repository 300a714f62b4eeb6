package main

import (
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"net"
	"net/netip"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"watershed/cluster"
	"watershed/configs"
	"watershed/harvest/depot"
	"watershed/internal/console"
	"watershed/ui"
)

// uiCommand serves the archivist's desk.
type uiCommand struct {
	Files        []string `arg:"" optional:"" name:"file" type:"path" default:"harvests"`
	Open         bool
	AllowPrivate []netip.Prefix `placeholder:"NETWORK"`
	deskFlags
	clusterFlag
	ReplayListen  string   `placeholder:"HOST:PORT"`
	ReplayURL     string   `name:"replay-url" placeholder:"URL"`
	ReplayKeyFile string   `placeholder:"FILE" type:"existingfile"`
	Name          []string `placeholder:"HOST"`
	Certificate   string   `placeholder:"FILE" type:"existingfile" and:"tls"`
	Key           string   `placeholder:"FILE" type:"existingfile" and:"tls"`
	AccountsFile  string   `placeholder:"FILE" type:"existingfile"`

	board func() (*cluster.Board, error) `kong:"-"` // of the cluster; nil for none
}

// deskFlags say where a desk is served, and to whom. A desk beside a run has no other flags: a
// desk for several people is a process of its own.
type deskFlags struct {
	Listen    string `default:"127.0.0.1:0" placeholder:"HOST:PORT"`
	TokenFile string `placeholder:"FILE" type:"existingfile"`
}

func (c *uiCommand) Run(ctx context.Context, s console.Streams) error {
	if c.Cluster != "" {
		_, b, err := brokerOf(c.Cluster)
		if err != nil {
			return err
		}
		looking, stop := context.WithCancel(ctx)
		var look onCluster
		defer look.wait.Wait()
		defer stop()
		look.wait.Go(func() { look.keep(looking, b) })
		c.board = look.board
	}
	if c.Open {
		return c.inBrowser(ctx, s)
	}
	return c.serve(ctx, s, func(link string) { printLink(s, link) })
}

// onCluster is the look of a desk on a cluster.
type onCluster struct {
	wait sync.WaitGroup

	tell atomic.Pointer[func() (*cluster.Board, error)]
}

// keep looks until ctx ends.
func (l *onCluster) keep(ctx context.Context, b cluster.Broker) {
	set := func(tell func() (*cluster.Board, error)) { l.tell.Store(&tell) }
	host, _ := os.Hostname() // for messages alone
	for ctx.Err() == nil {
		look := func(ctx context.Context, m *cluster.Member) error {
			set(func() (*cluster.Board, error) { return m.Board(), nil })
			<-ctx.Done()
			return nil
		}
		err := cmp.Or(cluster.With(ctx, b, "the desk at "+host, discard, look), errors.New("the desk ends"))
		set(func() (*cluster.Board, error) { return nil, err })
		select {
		case <-ctx.Done():
		case <-time.After(2 * time.Second):
		}
	}
}

// board is what the broker has told last.
func (l *onCluster) board() (*cluster.Board, error) {
	if tell := l.tell.Load(); tell != nil {
		return (*tell)()
	}
	return nil, errors.New("the desk has not reached it yet")
}

func printLink(s console.Streams, link string) {
	fmt.Fprintf(console.Whole(s.Out), "%s\n", link)
	fmt.Fprintln(s.Err, "Open this in a browser; it lets one in, once. Interrupt to end.")
}

// serve serves the desk until ctx ends; ready gets the link.
func (c *uiCommand) serve(ctx context.Context, s console.Streams, ready func(link string)) error {
	folder, err := isFolder(s, c.Files)
	if err != nil {
		return err
	}
	if !folder {
		server, err := c.server(s, c.Files, nil)
		if err != nil {
			return err
		}
		return server.Serve(ctx, ready)
	}
	kept, err := c.depot(c.Files[0], slog.New(slog.NewTextHandler(s.Err, nil)))
	if err != nil {
		return err
	}
	server, err := c.server(s, nil, kept)
	if err == nil {
		err = server.Serve(ctx, ready)
	}
	return errors.Join(err, kept.Close())
}

// isFolder reports that a folder of harvests was named, in place of their YAMLs. Who begins has none
// yet: one that is not there is made.
func isFolder(s console.Streams, files []string) (bool, error) {
	if len(files) != 1 {
		return false, nil
	}
	info, err := os.Stat(files[0])
	if errors.Is(err, fs.ErrNotExist) && filepath.Ext(files[0]) == "" {
		if err := os.Mkdir(files[0], 0o777); err != nil {
			return false, fmt.Errorf("make the folder of harvests: %w", err)
		}
		fmt.Fprintf(s.Err, "Made the folder %s for harvests.\n", files[0])
		return true, nil
	}
	if err != nil || !info.IsDir() {
		return false, nil
	}
	return true, noRuns(files[0])
}

// depot keeps a folder of harvests, whose runs this program begins.
func (c *uiCommand) depot(dir string, log *slog.Logger) (*depot.Depot, error) {
	program, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("the desk does not know its own program, by which it harvests: %w", err)
	}
	o := depot.Options{
		Dir: dir, Program: program, Private: c.AllowPrivate, Log: log,
		Orderly: []int{exitOK, exitInterrupted, exitBytes, exitTime, exitPages, exitLosses},
	}
	if kept, err := configs.LoadOperator(operatorFile()); err == nil { // else each harvest says who
		o.Operator = kept
	}
	return depot.Open(o)
}

// beside serves the desk of a harvest for as long as work goes on, which begins when the desk can
// be reached.
func (c *deskFlags) beside(ctx context.Context, s console.Streams, file string,
	work func(context.Context) error,
) error {
	server, err := (&uiCommand{deskFlags: *c}).server(s, []string{file}, nil)
	if err != nil {
		return err
	}
	serving, stop := context.WithCancel(ctx)
	defer stop()
	reached := make(chan string, 1)
	served := make(chan error, 1)
	go func() { served <- server.Serve(serving, func(link string) { reached <- link }) }()
	select {
	case link := <-reached:
		fmt.Fprintf(console.Whole(s.Err), "The desk, for one browser: %s\n", link)
	case err := <-served:
		return err
	}
	err = work(ctx)
	stop()
	return errors.Join(err, <-served)
}

// server makes the desk of some harvests, or of a folder of them.
func (c *uiCommand) server(s console.Streams, files []string, kept *depot.Depot) (*ui.Server, error) {
	o := ui.Options{
		Depot: kept, Listen: c.Listen, Replay: c.ReplayListen, ReplayURL: c.ReplayURL, Names: c.Name,
		Board: c.board,
	}
	for _, path := range []string{c.TokenFile, c.ReplayKeyFile, c.AccountsFile, c.Key} {
		if path != "" && configs.Exposed(path) {
			warnExposed(s, []string{path})
		}
	}
	if c.TokenFile != "" {
		text, err := os.ReadFile(c.TokenFile)
		if err != nil {
			return nil, err
		}
		o.Secret = strings.TrimRight(string(text), "\r\n")
		if len(o.Secret) < ui.MinSecret {
			return nil, &exitError{code: exitUsage, err: ui.ErrSecret}
		}
	}
	if c.AccountsFile != "" {
		var err error
		if o.Accounts, err = readAccounts(c.AccountsFile); err != nil {
			return nil, err
		}
		o.Log = slog.New(slog.NewTextHandler(s.Err, nil)) // who does what
	}
	if c.Certificate != "" {
		pair := &keyPair{certificate: c.Certificate, key: c.Key}
		if _, err := pair.get(nil); err != nil {
			return nil, &exitError{code: exitUsage, err: err}
		}
		o.Certificate = pair.get
	}
	if c.ReplayKeyFile != "" {
		text, err := os.ReadFile(c.ReplayKeyFile)
		if err != nil {
			return nil, err
		}
		o.ReplayKey = strings.TrimSpace(string(text))
	}
	for _, file := range files {
		config, err := load(file)
		if err != nil {
			return nil, err
		}
		o.Harvests = append(o.Harvests, ui.HarvestOf(&config))
	}
	server, err := ui.New(o)
	var address *net.AddrError
	if errors.Is(err, ui.ErrSecret) || errors.Is(err, ui.ErrSameName) || errors.Is(err, ui.ErrPlain) ||
		errors.As(err, &address) {
		err = &exitError{code: exitUsage, err: err}
	}
	return server, err
}

func readAccounts(path string) ([]ui.Account, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	list, err := ui.ReadAccounts(f)
	if err = errors.Join(err, f.Close()); err != nil {
		return nil, &exitError{code: exitUsage, err: fmt.Errorf("%s: %w", path, err)}
	}
	return list, nil
}

// keyPair is a certificate and its key in files, which are read again when they have changed.
type keyPair struct {
	certificate, key string

	mu     sync.Mutex // guards what follows
	loaded *tls.Certificate
	at     time.Time // when the certificate's file was changed
}

// get gives the certificate; a new one that cannot be read leaves the old one.
func (p *keyPair) get(*tls.ClientHelloInfo) (*tls.Certificate, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	info, err := os.Stat(p.certificate)
	if err == nil && p.loaded != nil && info.ModTime().Equal(p.at) {
		return p.loaded, nil
	}
	pair, err := tls.LoadX509KeyPair(p.certificate, p.key)
	switch {
	case err == nil:
		p.loaded, p.at = &pair, info.ModTime()
	case p.loaded == nil:
		return nil, fmt.Errorf("%s and %s: %w", p.certificate, p.key, err)
	}
	return p.loaded, nil
}
