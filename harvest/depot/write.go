package depot

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"net/netip"
	"os"
	"slices"
	"strings"
	"time"

	"watershed/configs"
	"watershed/configs/peer"
	"watershed/page"
)

// Draft is the YAML of a harvest of what a person pastes: addresses, a list of them, another
// crawler's configuration, or a harvest's YAML, which stays as it is. notes tell what of a
// configuration has no equal. Empty texts leave name and contact to the draft.
func (d *Depot) Draft(ctx context.Context, pasted, name, contact string) (
	text string, notes []string, err error,
) {
	if peer.Sniff([]byte(pasted)) == "" && strings.Contains("\n"+pasted, "\nsites:") {
		return pasted, nil, nil
	}
	got, err := peer.Pasted(pasted)
	if err != nil {
		return "", nil, err
	}
	x := &got.Draft
	if x.Operator.Contact == "" {
		x.Operator = d.options.Operator
	}
	if contact = strings.TrimSpace(contact); contact != "" && contact != x.Operator.Contact {
		if x.Operator.Contact, err = configs.Contact(contact); err != nil {
			return "", nil, err
		}
		x.Operator.Name = strings.TrimPrefix(x.Operator.Contact, "mailto:")
	}
	if name = strings.TrimSpace(name); name != "" {
		x.Harvest = name
	}
	here := []configs.Setting{{Key: "archive.dir", Value: ".", Note: "the harvest lies beside this file"}}
	private, err := d.private(ctx, x)
	if err != nil {
		return "", nil, err
	}
	if len(private) > 0 {
		here = append(here, configs.Setting{Key: "network.allow_private", Value: private})
	}
	x.Settings = append(here, x.Settings...)
	x.Head = []string{"Every option: watershed config example reference"}
	for _, n := range got.Notes {
		notes = append(notes, fmt.Sprintf("line %d: %s: %s", n.Line, n.What, n.Say))
	}
	return string(x.YAML()), notes, nil
}

// lookUps is how long the names of a draft's seeds are looked up, at most.
const lookUps = 2 * time.Second

// private are the networks that are not public and have to be allowed for the seeds of a draft. Names
// are looked up where networks are allowed at all.
func (d *Depot) private(ctx context.Context, x *configs.Draft) (list []string, err error) {
	ctx, stop := context.WithTimeout(ctx, lookUps)
	defer stop()
	for i := range x.Sites {
		for _, seed := range x.Sites[i].Seeds {
			u, err := page.ParseURL(seed)
			if err != nil {
				continue // the check tells
			}
			network, private := peer.Private(u)
			switch allowed := slices.IndexFunc(d.options.Private, func(p netip.Prefix) bool {
				return p.Overlaps(network) && p.Bits() <= network.Bits()
			}); {
			case !private:
				for _, p := range d.allowedFor(ctx, u.Host()) {
					if !slices.Contains(list, p.String()) {
						list = append(list, p.String())
					}
				}
			case allowed < 0:
				return nil, fmt.Errorf("%s is a machine of your own network, which is not fetched from "+
					"unasked: start the desk with --allow-private %s", u.Host(), network)
			case !slices.Contains(list, network.String()):
				list = append(list, network.String())
			}
		}
	}
	return list, nil
}

// allowedFor are those of the networks which the desk allows in which a host lies; none where its name
// is not known, which the harvest tells.
func (d *Depot) allowedFor(ctx context.Context, h page.Host) (list []netip.Prefix) {
	if len(d.options.Private) == 0 {
		return nil
	}
	addresses, _ := d.lookUp(ctx, "ip", h.Name())
	for _, p := range d.options.Private {
		if slices.ContainsFunc(addresses, func(a netip.Addr) bool { return p.Contains(a.Unmap()) }) {
			list = append(list, p)
		}
	}
	return list
}

// Operator answers for harvests that name nobody.
func (d *Depot) Operator() configs.Operator { return d.options.Operator }

// Check reads text as the YAML of a harvest of the folder. The error is configs.Errors.
func (d *Depot) Check(text string) (configs.Harvest, error) {
	// the name only stands in messages, and says which folder it would be
	return configs.Confined(d.path("harvest.yaml"), []byte(text), d.options.Private)
}

// Create writes the YAML of a new harvest, and gives its name. The error is ErrThere, configs.Errors,
// or one of the disk.
func (d *Depot) Create(text string) (name string, err error) {
	c, err := d.Check(text)
	if err != nil {
		return "", err
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if err := d.free(c.Harvest, ""); err != nil {
		return "", err
	}
	return c.Harvest, d.write(c.Harvest+".yaml", text)
}

// free refuses a name whose YAML or folder is there, but for those of the file own.
func (d *Depot) free(name, own string) error {
	for _, taken := range []string{name + ".yaml", name + ".yml", name} {
		if taken == own || taken == base(own) {
			continue
		}
		if _, err := d.root.Lstat(taken); !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("%w (%s)", ErrThere, taken)
		}
	}
	return nil
}

// Replace writes the YAML of a harvest anew; was is the Mark of the text that the writer has seen. A
// YAML that is not in order may get another name, which no other harvest has. The error is
// ErrChanged, ErrUnknown, ErrThere, configs.Errors, or one of the disk. A run under way keeps what it
// began with.
func (d *Depot) Replace(name, was, text string) error {
	list, err := d.List()
	if err != nil {
		return err
	}
	h, err := named(list, name)
	if err != nil {
		return err
	}
	c, err := d.Check(text)
	if err == nil && h.Config != nil && c.Harvest != name {
		err = configs.Errors{{
			Position: configs.Position{File: h.File}, Key: "harvest",
			Message: fmt.Sprintf("harvest: %q would be another harvest", c.Harvest),
			Hint:    "write harvest: " + name + ", or begin a new harvest",
		}}
	}
	if err != nil {
		return err
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if h.Config == nil {
		if other, err := named(list, c.Harvest); err == nil && other.File != h.File {
			return fmt.Errorf("%w (%s)", ErrThere, other.File)
		}
		if err := d.free(c.Harvest, h.File); err != nil {
			return err
		}
	}
	now, err := d.text(h.File)
	if err != nil {
		return err
	}
	if Mark(string(now)) != was {
		return ErrChanged
	}
	return d.write(h.File, text)
}

// Mark tells texts apart, but for their line ends, which browsers change.
func Mark(text string) string {
	sum := sha256.Sum256([]byte(normal(text)))
	return hex.EncodeToString(sum[:])
}

func normal(text string) string {
	return strings.TrimRight(strings.ReplaceAll(text, "\r\n", "\n"), "\n")
}

// write writes a file that appears when it is whole. The caller holds mu.
func (d *Depot) write(file, text string) error {
	temp := "." + file + ".new"
	f, err := d.root.OpenFile(temp, os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o666)
	if err == nil {
		_, err = f.WriteString(normal(text) + "\n")
		err = errors.Join(err, f.Sync(), f.Close())
	}
	if err == nil {
		err = d.root.Rename(temp, file)
	}
	if err != nil {
		return fmt.Errorf("write the harvest's YAML: %w", err)
	}
	delete(d.read, file)
	return nil
}
