package acceptance

import (
	"fmt"
	"io"
	"time"
)

// Plan prints the YAML of a harvest of some sites, each with its entry page as the only seed.
type Plan struct {
	Web      string        `required:"" placeholder:"DIR"`
	Port     int           `default:"8899"`
	Resolver string        `default:"127.0.0.1:8853"`
	Multi    int           `default:"10"`
	Tenants  int           `default:"10"`
	Delay    time.Duration `default:"100ms"`
	Dir      string        `default:"harvests" placeholder:"DIR"`
}

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
