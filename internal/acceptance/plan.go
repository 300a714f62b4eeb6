package main

import (
	"flag"
	"fmt"
	"time"
)

// plan prints the YAML of a harvest of some sites, each with its entry page as the only seed.
func plan(args []string) error {
	flags := flag.NewFlagSet("plan", flag.ContinueOnError)
	web := flags.String("web", "", "folder of the truth")
	port := flags.Int("port", 8899, "port that the web is served on")
	resolver := flags.String("resolver", "127.0.0.1:8853", "name server of the web")
	multi := flags.Int("multi", 10, "sites over several hosts")
	tenants := flags.Int("tenants", 10, "sites that share a host")
	delay := flags.Duration("delay", 100*time.Millisecond, "shortest delay between two requests to a host")
	dir := flags.String("dir", "harvests", "where to harvest to")
	if err := flags.Parse(args); err != nil {
		return err
	}
	t, err := readTruth(*web)
	if err != nil {
		return err
	}
	fmt.Printf(`harvest: acceptance
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
`, *delay, *resolver, *port, *dir)
	for _, name := range append(t.sample("multi", *multi), t.sample("tenant", *tenants)...) {
		fmt.Printf("  - name: %q\n    seeds:\n      - %q\n", name, t.pages[name][0])
	}
	return nil
}
