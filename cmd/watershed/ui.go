package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"strings"

	"watershed/ui"
)

// uiCommand serves the archivist's desk.
type uiCommand struct {
	Files        []string `arg:"" name:"file" help:"Harvest YAMLs." type:"path"`
	Listen       string   `default:"127.0.0.1:0" help:"Host and port; port 0 is one that is free. Elsewhere than on loopback a token or password is needed; put a proxy that speaks TLS before it." placeholder:"HOST:PORT"`
	ReplayListen string   `help:"Host and port at which archived pages are replayed, apart from the desk. Default: the desk's host, a free port." placeholder:"HOST:PORT"`
	ReplayURL    string   `name:"replay-url" help:"Where browsers find the replay behind a proxy, such as https://replay.example.org; its host needs a --name too." placeholder:"URL"`
	Name         []string `help:"Further host name by which the desk may be asked, such as that of a proxy." placeholder:"HOST"`
	TokenFile    string   `placeholder:"FILE" type:"existingfile" xor:"secret" help:"File with the token that lets in browsers, and programs as a bearer token."`
	PasswordFile string   `placeholder:"FILE" type:"existingfile" xor:"secret" help:"File with the password that lets in browsers."`
}

func (c *uiCommand) Run(ctx context.Context, s streams) error {
	return c.serve(ctx, func(link string) { printLink(s, link) })
}

func printLink(s streams, link string) {
	fmt.Fprintf(s.out, "%s\n", link)
	fmt.Fprintln(s.err, "Open this in a browser; it lets one in, once. Interrupt to end.")
}

// serve serves the desk until ctx ends; ready gets the link.
func (c *uiCommand) serve(ctx context.Context, ready func(link string)) error {
	o := ui.Options{Listen: c.Listen, Replay: c.ReplayListen, ReplayURL: c.ReplayURL, Names: c.Name}
	if path := c.TokenFile + c.PasswordFile; path != "" { // one of them at most
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		o.Secret = strings.TrimRight(string(text), "\r\n")
		if len(o.Secret) < ui.MinSecret {
			return &exitError{code: exitUsage, err: ui.ErrSecret}
		}
	}
	for _, file := range c.Files {
		config, err := load(file)
		if err != nil {
			return err
		}
		o.Harvests = append(o.Harvests, ui.Harvest{Name: config.Harvest, Folder: folderOf(&config)})
	}
	server, err := ui.New(o)
	if err != nil {
		var address *net.AddrError
		if errors.Is(err, ui.ErrSecret) || errors.Is(err, ui.ErrSameName) || errors.As(err, &address) {
			err = &exitError{code: exitUsage, err: err}
		}
		return err
	}
	return server.Serve(ctx, ready)
}
