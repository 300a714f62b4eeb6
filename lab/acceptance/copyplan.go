package acceptance

import (
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"watershed/lab/testweb"
)

// CopyPlan prints the YAML of a harvest of all hosts that hold copies, or what was copied: both
// hosts of each mirrored pair, and the hosts of replicated collections, whose directories are
// seeds, too.
type CopyPlan struct {
	Web      string `required:"" placeholder:"DIR"`
	Port     int    `default:"8899"`
	Hosts    string `required:"" placeholder:"FILE"`
	Dir      string `default:"harvests" placeholder:"DIR"`
	Replicas string `default:"find: confirm"`
}

func (c *CopyPlan) Run(out io.Writer) error {
	seeds, order := map[string][]string{}, []string{}
	add := func(host string, more ...string) {
		if seeds[host] == nil {
			seeds[host] = []string{"http://" + host + "/"}
			order = append(order, host)
		}
		seeds[host] = append(seeds[host], more...)
	}
	traps := map[string]bool{}
	for _, table := range []struct {
		name  string
		least int
		row   func(f []string)
	}{
		{"mirrors.tsv", 3, func(f []string) {
			if f[2] != "0" && f[2] != "?" {
				add(f[0])
				add(f[1])
			}
		}},
		{"collections.tsv", 3, func(f []string) { add(f[1], f[2]) }},
		{"traps.tsv", 1, func(f []string) { traps[f[0]] = true }},
	} {
		err := testweb.Rows(os.DirFS(c.Web), table.name, table.least, func(f []string) error {
			table.row(f)
			return nil
		})
		if err != nil {
			return err
		}
	}
	fmt.Fprintf(out, `harvest: web
operator: {name: Watershed acceptance, contact: "mailto:acceptance@watershed.example"}
politeness: {delay_factor: 0, min_delay: 1ms, address_delay: 0s, crawl_delay_max: 1ms,
  retry: {attempts: 2, delay: 1s, max_delay: 1s}}
network:
  hosts_file: %s
  dial_ports: {80: %d}
  allow_private: [127.0.0.0/8]
fetch: {workers: 16}
limits: {free_disk: 0B}
copies: {%s}
archive: {dir: %s}
sites:
`, c.Hosts, c.Port, c.Replicas, c.Dir)
	for _, host := range order {
		if traps[host] {
			continue
		}
		list := seeds[host]
		slices.Sort(list[1:])
		fmt.Fprintf(out, "  - {name: %s, boundary: host, seeds: [%q", host, list[0])
		for _, u := range slices.Compact(list)[1:] {
			fmt.Fprintf(out, ", %q", strings.TrimSpace(u))
		}
		fmt.Fprintln(out, "]}")
	}
	return nil
}
