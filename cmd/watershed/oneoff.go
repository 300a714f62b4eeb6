package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/netip"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/alecthomas/kong"
	"golang.org/x/term"

	"watershed/configs"
	"watershed/configs/peer"
	"watershed/internal/console"
	"watershed/internal/disk"
	"watershed/page"
)

// oneOffFlags make the YAML of a harvest of which only addresses are given.
type oneOffFlags struct {
	Dir          string         `default:"harvests" placeholder:"DIR"`
	As           string         `placeholder:"NAME"`
	Contact      string         `env:"WATERSHED_CONTACT" placeholder:"ADDRESS"`
	Operator     string         `env:"WATERSHED_OPERATOR" placeholder:"NAME"`
	AllowPrivate []netip.Prefix `placeholder:"NETWORK"`
}

// withHarvest lets the word "harvest" be left out before an address or a file.
func withHarvest(model *kong.Node, args []string) []string {
	isCommand := func(arg string) bool {
		return slices.ContainsFunc(model.Children, func(n *kong.Node) bool { return n.Name == arg })
	}
	if len(args) == 0 || isCommand(args[0]) {
		return args
	}
	named := strings.Contains(args[0], ".") // a host or a file
	if strings.HasPrefix(args[0], "-") {
		named = slices.ContainsFunc(args, isFile) && !slices.ContainsFunc(args, isCommand)
	}
	if named || slices.ContainsFunc(args, isAddress) {
		return append([]string{"harvest"}, args...)
	}
	return args
}

// isAddress reports what is meant as a web address, well written or not.
func isAddress(arg string) bool {
	scheme, _, ok := strings.Cut(arg, "://")
	return ok && !strings.ContainsAny(scheme, "/=-")
}

func isFile(arg string) bool {
	info, err := os.Stat(arg)
	return err == nil && !info.IsDir()
}

// isList reports a file of addresses, by its name as configs has it.
func isList(file string) bool {
	return slices.Contains([]string{".txt", ".csv", ".tsv"}, strings.ToLower(filepath.Ext(file)))
}

// file is the YAML that the harvest goes by. That of addresses or a list is written where it is not
// there yet; else it must name them all.
func (c *harvestCommand) file(s console.Streams) (string, error) {
	first := c.From[0]
	if len(c.From) == 1 && !isAddress(first) && !isList(first) {
		if err := there(first); err != nil {
			return "", &exitError{exitUsage, fmt.Errorf("%w%s", err, addressMeant(first))}
		}
		if c.As != "" || len(c.AllowPrivate) > 0 {
			return "", &exitError{exitUsage, fmt.Errorf("--as and --allow-private are for a harvest of "+
				"addresses: %s says both itself", first)}
		}
		return first, nil
	}
	draft, seeds, err := c.draft()
	if e := (*exitError)(nil); err != nil && !errors.As(err, &e) {
		err = &exitError{exitUsage, err}
	}
	if err != nil {
		return "", err
	}
	folder := filepath.Join(c.Dir, draft.Harvest)
	file := folder + ".yaml"
	if isFile(file) {
		fmt.Fprintf(s.Err, "going by %s as it stands\n", file)
		return file, c.covers(file, seeds)
	}
	if _, err := os.Stat(folder); err == nil {
		return "", &exitError{exitUsage, fmt.Errorf("%s is there, and has no %s beside it: it is the "+
			"harvest of another YAML. Go on with that, or give another name: --as NAME", folder, file)}
	}
	if err := c.reachable(seeds); err != nil {
		return "", &exitError{exitUsage, err}
	}
	if draft.Operator, err = c.operator(s); err != nil {
		return "", err
	}
	return file, c.writeDraft(s, file, draft)
}

// addressMeant says how an address is written that was meant instead of a file.
func addressMeant(arg string) string {
	yaml := strings.HasSuffix(arg, ".yaml") || strings.HasSuffix(arg, ".yml")
	if u, err := page.ParseURL("https://" + arg); err == nil && strings.Contains(string(u.Host()), ".") &&
		!yaml {
		return fmt.Sprintf("; for a website: %s", command(string(u)))
	}
	return ""
}

// draft is the harvest of the arguments, addresses or one list, without its operator. Addresses of
// the same host are seeds of the same site.
func (c *harvestCommand) draft() (*configs.Draft, []page.URL, error) {
	d := &configs.Draft{
		Head: []string{
			"Written by watershed for a harvest of addresses. Change what you like: the same command, or",
			"watershed harvest with this file, goes by it. Every option: watershed config example reference",
		},
		Settings: []configs.Setting{
			{Key: "archive.dir", Value: ".", Note: "the harvest lies beside this file"},
		},
	}
	if len(c.AllowPrivate) > 0 {
		var list []string
		for _, p := range c.AllowPrivate {
			list = append(list, p.String())
		}
		d.Settings = append(d.Settings, configs.Setting{Key: "network.allow_private", Value: list})
	}
	if !isAddress(c.From[0]) {
		seeds, err := c.draftList(d)
		return d, seeds, err
	}
	for _, text := range c.From {
		if !isAddress(text) {
			return nil, nil, fmt.Errorf("%s: beside an address only addresses can stand%s", text,
				addressMeant(text))
		}
	}
	made, seeds, err := peer.Addresses(c.From)
	if err != nil {
		return nil, nil, err
	}
	d.Sites, d.Harvest = made.Sites, made.Harvest
	if c.As != "" {
		d.Harvest = c.As
	}
	return d, seeds, nil
}

// reachable refuses addresses of machines that are not public, unless it is told which are meant.
func (c *harvestCommand) reachable(seeds []page.URL) error {
	for _, u := range seeds {
		if network, private := peer.Private(u); private && len(c.AllowPrivate) == 0 {
			return fmt.Errorf("%s is a machine of your own network, which is not fetched from unasked: add "+
				"--allow-private %s", u.Host(), network)
		}
	}
	return nil
}

// draftList has the draft harvest the sites of a list, and gives their seeds.
func (c *harvestCommand) draftList(d *configs.Draft) (seeds []page.URL, err error) {
	list := c.From[0]
	if len(c.From) > 1 {
		return nil, fmt.Errorf("%s: a list or a YAML stands alone, without %s", list,
			strings.Join(c.From[1:], " "))
	}
	if !isFile(list) {
		return nil, fmt.Errorf("%s: there is no such file", list)
	}
	if d.Harvest = c.As; d.Harvest == "" {
		d.Harvest = peer.Name(strings.TrimSuffix(filepath.Base(list), filepath.Ext(list)))
	}
	path, err := filepath.Abs(list)
	if err != nil {
		return nil, err
	}
	if dir, err := filepath.Abs(c.Dir); err == nil {
		if rel, err := filepath.Rel(dir, path); err == nil {
			path = rel
		}
	}
	d.Sites = []configs.DraftSite{{Settings: []configs.Setting{{Key: "list", Value: filepath.ToSlash(path)}}}}
	tried := *d
	tried.Operator = configs.Operator{Name: "nobody", Contact: "mailto:nobody@example.org"}
	config, err := configs.Compose(filepath.Join(c.Dir, d.Harvest+".yaml"), tried.YAML())
	if err != nil {
		return nil, &exitError{exitConfig, peers(list, err)}
	}
	for i := range config.Sites {
		seeds = append(seeds, config.Sites[i].Seeds...)
	}
	return seeds, nil
}

// covers checks that the YAML which is there harvests the addresses.
func (c *harvestCommand) covers(file string, seeds []page.URL) error {
	config, err := load(file)
	if err != nil {
		return err
	}
	has := map[page.URL]bool{}
	for i := range config.Sites {
		for _, u := range config.Sites[i].Seeds {
			has[u] = true
		}
	}
	for _, u := range seeds {
		if !has[u] {
			return &exitError{exitUsage, fmt.Errorf("%s has no seed %s: add it there under seeds, or give "+
				"another name: --as NAME", file, u)}
		}
	}
	return nil
}

// writeDraft writes a YAML that is in order.
func (c *harvestCommand) writeDraft(s console.Streams, file string, d *configs.Draft) error {
	text := d.YAML()
	if _, err := configs.Compose(file, text); err != nil {
		return &exitError{exitConfig, err}
	}
	if err := os.MkdirAll(c.Dir, 0o777); err != nil {
		return err
	}
	if err := disk.WriteText(disk.OS{}, file, 0o666, text); err != nil {
		return fmt.Errorf("write the harvest's YAML: %w", err)
	}
	fmt.Fprintf(s.Err, "written: %s, by which this harvest goes, and the next one; its folder is %s\n", file,
		filepath.Join(c.Dir, d.Harvest))
	return nil
}

// operator is who answers for a harvest of addresses: as the flags say, else as it was kept, else as
// the terminal is told.
func (c *harvestCommand) operator(s console.Streams) (configs.Operator, error) {
	kept := operatorFile()
	if c.Contact == "" {
		o, err := configs.LoadOperator(kept)
		switch {
		case err == nil && c.Operator != "":
			o.Name = c.Operator
			return o, nil
		case err == nil:
			return o, nil
		case !errors.Is(err, fs.ErrNotExist):
			return o, &exitError{exitConfig, err}
		}
		if console.Terminal(s.Err) == nil || !term.IsTerminal(int(os.Stdin.Fd())) {
			return o, &exitError{exitUsage, fmt.Errorf("webmasters must be able to reach you: say where, "+
				"once, with --contact and a mail address or a web page; it is kept in %s", kept)}
		}
		if c.Contact, err = ask(os.Stdin, s.Err); err != nil {
			return o, &exitError{exitUsage, err}
		}
	}
	contact, err := configs.Contact(c.Contact)
	if err != nil {
		return configs.Operator{}, &exitError{exitUsage, fmt.Errorf("--contact: %w", err)}
	}
	o := configs.Operator{Name: c.Operator, Contact: contact}
	if o.Name == "" {
		o.Name = nameOf(contact)
	}
	if err := configs.KeepOperator(kept, o); err != nil {
		fmt.Fprintf(s.Err, "watershed: your contact is not kept for the next time: %v\n", err)
	} else {
		fmt.Fprintf(s.Err, "%s <%s> answers for harvests of addresses; kept in %s\n", o.Name, o.Contact, kept)
	}
	return o, nil
}

// operatorFile is where the operator of harvests of addresses is kept.
func operatorFile() string {
	dir, err := os.UserConfigDir()
	if err != nil {
		dir = "."
	}
	return filepath.Join(dir, "watershed", "operator.yaml")
}

// ask asks for the contact.
func ask(in io.Reader, out io.Writer) (string, error) {
	fmt.Fprint(out, "Webmasters must be able to reach you. Your mail address, or a web page about the "+
		"harvest:\n> ")
	line := bufio.NewScanner(in)
	if !line.Scan() || strings.TrimSpace(line.Text()) == "" {
		return "", errors.New("no contact was given; nothing is fetched without one")
	}
	return strings.TrimSpace(line.Text()), nil
}

// nameOf is what an operator is called of whom only the contact is known.
func nameOf(contact string) string {
	u, err := url.Parse(contact)
	if err != nil || u.Scheme == "mailto" {
		return strings.TrimPrefix(contact, "mailto:")
	}
	return u.Host
}
