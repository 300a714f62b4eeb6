package acceptance

import (
	"fmt"
	"io"
	"time"
)

// Plan prints the YAML of a harvest of some sites, each with its entry page as the only seed.
type Plan struct {
	Web      string        `required:"" placeholder:"DIR" help:"Folder of the truth."`
	Port     int           `default:"8899" help:"Port that the web is served on."`
	Resolver string        `default:"127.0.0.1:8853" help:"Name server of the web."`
	Multi    int           `default:"10" help:"Sites over several hosts."`
	Tenants  int           `default:"10" help:"Sites that share a host."`
	Delay    time.Duration `default:"100ms" help:"Shortest delay between two requests to a host."`
	Dir      string        `default:"harvests" placeholder:"DIR" help:"Where to harvest to."`
}

// Run is the command.
func (c *Plan) Run(out io.Writer) error {
	t, err := readTruth(c.Web)
	if err != nil {
		return err
	}
	fmt.Fprintf(out, `harvest: acceptance
operator:
  name: Watershed acceptance
  contact: mailto:acceptance@watershed.example
politeness:
  min_delay: %v
  max_delay: 2s
  address_delay: 0s
  crawl_delay_max: 2s
  retry:
    attempts: 2
    delay: 1s
    host_attempts: 2
network:
  resolvers:
    - %s
  dial_ports:
    80: %d
  allow_private:
    - 127.0.0.0/8
fetch:
  workers: 32
archive:
  dir: %s
sites:
`, c.Delay, c.Resolver, c.Port, c.Dir)
	for _, name := range append(t.sample("multi", c.Multi), t.sample("tenant", c.Tenants)...) {
		fmt.Fprintf(out, "  - name: %q\n    seeds:\n      - %q\n", name, t.pages[name][0])
	}
	return nil
}
