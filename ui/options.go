package ui

import (
	"cmp"
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/netip"
	"net/url"
	"regexp"
	"strings"
	"time"

	"watershed/cluster"
	"watershed/configs"
	"watershed/harvest"
	"watershed/harvest/depot"
)

// Defaults of Options.
const (
	defaultListen = "127.0.0.1:0"
	MinSecret     = 12 // characters
	minKey        = 20 // characters of Options.ReplayKey
)

// Options say what a desk shows, and to whom. The zero value of each field but Harvests stands for
// its default.
type Options struct {
	Harvests []Harvest // at least one, unless there is a Depot

	// Depot is a folder whose harvests are shown in place of Harvests, and begun. Its owner closes
	// it, after Serve.
	Depot *depot.Depot

	// Listen is host and port of the desk; defaultListen, where 0 is a port that is free. Elsewhere
	// than on loopback browsers come by TLS: there is a Certificate, or ReplayURL tells of a proxy.
	Listen string
	Replay string // host and port of the replay of archived pages; the desk's host and a free port

	// Certificate gives that of the desk's names, for desk and replay; nil for plain HTTP.
	Certificate func(*tls.ClientHelloInfo) (*tls.Certificate, error)

	// ReplayURL is where browsers find the replay, such as "https://replay.example.org" of a proxy
	// in front of it, whose host then belongs to Names. Default: the host by which the desk was
	// asked, and the replay's port, by HTTP.
	ReplayURL string

	// ReplayKey is a part of the replay's addresses, for replay programs that are to find the
	// archive after the desk was started again: letters, digits, "-" and "_", minKey or more.
	// Default: a new one each time.
	ReplayKey string

	// Names are host names by which the desk may be asked beside its address, such as that of a
	// proxy in front of it. Default: none, and localhost on loopback.
	Names []string

	// Secret lets in who gives it. Where Listen is not on loopback there is one, or Accounts are.
	Secret string

	// Accounts let in who gives a name and its password, for what the account's role permits.
	Accounts []Account

	// Board is what the broker of a cluster tells of its nodes and the harvests that they share. Default:
	// nil, and no cluster is shown.
	Board func() (*cluster.Board, error)

	Log *slog.Logger     // nil is silent
	Now func() time.Time // nil is time.Now
}

// HarvestOf is the harvest of a YAML.
func HarvestOf(config *configs.Harvest) Harvest {
	h := Harvest{Name: config.Harvest, Folder: harvest.Folder(config.Folder()), Config: config}
	for i := range config.Sites {
		h.Sites = append(h.Sites, config.Sites[i].Name)
	}
	return h
}

// Harvest is a harvest to be shown.
type Harvest struct {
	Name   string         // in addresses and headings
	Folder harvest.Folder // where its files are
	Sites  []string       // names, as its YAML has them now: what may be decided on

	Config *configs.Harvest // its YAML as it is now, with the lists that it names; nil where it is not known

	kept *depot.Harvest // nil where it is of no depot
}

// Validate reports ErrSameName, ErrSecret, ErrPlain, and what else no desk can be opened with.
func (o Options) Validate() error {
	if len(o.Harvests) == 0 && o.Depot == nil {
		return errors.New("no harvest to show")
	}
	names := map[string]bool{}
	for _, h := range o.Harvests {
		if names[h.Name] {
			return fmt.Errorf("%w: %q", ErrSameName, h.Name)
		}
		names[h.Name] = true
	}
	if u, err := url.Parse(o.ReplayURL); o.ReplayURL != "" &&
		(err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https") {
		return fmt.Errorf("address of the replay: %q is none of the web", o.ReplayURL)
	}
	if o.ReplayKey != "" && !replayKey.MatchString(o.ReplayKey) {
		return errors.New("a key of the replay has 20 characters or more, which are letters, digits, - and _")
	}
	open := false
	for _, address := range []string{o.listen(), o.replay()} {
		host, _, err := net.SplitHostPort(address)
		if err != nil {
			return fmt.Errorf("address to listen on: %w", err)
		}
		open = open || !loopback(host)
	}
	if (open && len(o.Accounts) == 0 || o.Secret != "") && len(o.Secret) < MinSecret {
		return ErrSecret
	}
	if open && o.Certificate == nil && !o.sheltered() {
		return ErrPlain
	}
	return nil
}

// sheltered reports that browsers come by a proxy that speaks TLS, or from this machine alone, as to a
// container.
func (o Options) sheltered() bool {
	u, err := url.Parse(o.ReplayURL)
	return err == nil && (u.Scheme == "https" || loopback(u.Hostname()))
}

var replayKey = regexp.MustCompile(fmt.Sprintf(`^[A-Za-z0-9_-]{%d,}$`, minKey))

func (o Options) listen() string {
	return cmp.Or(o.Listen, defaultListen)
}

func (o Options) replay() string {
	if o.Replay != "" {
		return o.Replay
	}
	host, _, err := net.SplitHostPort(o.listen())
	if err != nil {
		return o.listen() // Validate tells
	}
	return net.JoinHostPort(host, "0")
}

// loopback reports a host that only this machine can reach.
func loopback(host string) bool {
	if strings.EqualFold(host, "localhost") {
		return true
	}
	a, err := netip.ParseAddr(host)
	return err == nil && a.Unmap().IsLoopback()
}
