package ui

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"

	"watershed/cluster"
)

// clusterModel is what the page of a cluster shows.
type clusterModel struct {
	Cause    string          `json:"cause,omitempty"` // why the broker does not tell; "" where it does
	Stale    bool            `json:"stale"`           // it does not any more
	Nodes    []nodeLine      `json:"nodes"`
	Harvests []sharedHarvest `json:"harvests"`
}

// nodeLine is a node as the page shows it.
type nodeLine struct {
	Name   string `json:"node"`
	Stands string `json:"stands"`
	Takes  bool   `json:"takes"` // it is there, and takes shards
	Held   int    `json:"held"`  // shards that it has
	Room   int    `json:"room"`  // shards that it harvests at a time
}

// sharedHarvest is a harvest that nodes share.
type sharedHarvest struct {
	Name   string      `json:"harvest"`
	Round  int         `json:"round"`
	Ended  int         `json:"ended"` // shards
	Shards []shardLine `json:"shards"`
	counts map[cluster.State]int
	given  int // times that a node which lagged gave a shard away
	cluster.Figures
}

// shardLine is a shard as the page shows it.
type shardLine struct {
	ID     string `json:"shard"`
	Stands string `json:"stands"`
	cluster.ShardRecord
}

// machinesOf makes the model of what a broker tells.
func machinesOf(b *cluster.Board, err error) clusterModel {
	m := clusterModel{Nodes: []nodeLine{}, Harvests: []sharedHarvest{}}
	if err != nil {
		m.Cause = err.Error()
		return m
	}
	m.Stale = b.Stale
	for _, name := range slices.Sorted(maps.Keys(b.Nodes)) {
		m.Nodes = append(m.Nodes, nodeLine{
			name, b.ToldNode(name), b.Takes(name), b.Held(name), b.Nodes[name].Room,
		})
	}
	for _, name := range slices.Sorted(maps.Keys(b.Harvests)) {
		if len(b.Of(name)) == 0 {
			continue // it was forgotten
		}
		h := sharedHarvest{Name: name, Round: b.Harvests[name].Round}
		h.counts, h.Figures = b.Sum(name)
		for _, id := range b.Of(name) {
			x := b.At(id)
			h.given += len(x.Given)
			h.Shards = append(h.Shards, shardLine{id.String(), b.Told(id), x})
		}
		h.Ended = h.counts[cluster.Ended]
		m.Harvests = append(m.Harvests, h)
	}
	return m
}

// machines is what the broker tells now; false where the desk is of no cluster.
func (s *Server) machines() (clusterModel, bool) {
	if s.options.Board == nil {
		return clusterModel{}, false
	}
	return machinesOf(s.options.Board()), true
}

// machinesModel shows the nodes of a cluster, and the harvests that they share.
func machinesModel(s *Server, _ *query) (any, error) {
	m, ok := s.machines()
	if !ok {
		return nil, notFound("This desk is of no cluster: watershed ui --cluster shows one.")
	}
	return m, nil
}

// sharedFigures are the metrics of a shared harvest that have the names of one on a single machine.
var sharedFigures = map[string]func(*sharedHarvest) float64{
	"watershed_visits_total":         func(h *sharedHarvest) float64 { return float64(h.Visits) },
	"watershed_captures_total":       func(h *sharedHarvest) float64 { return float64(h.Captured) },
	"watershed_failures_total":       func(h *sharedHarvest) float64 { return float64(h.Failed) },
	"watershed_received_bytes_total": func(h *sharedHarvest) float64 { return float64(h.Bytes) },
	"watershed_pending_urls":         func(h *sharedHarvest) float64 { return float64(h.Pending) },
	"watershed_live": func(h *sharedHarvest) float64 {
		return float64(b2i(h.counts[cluster.Waiting]+h.counts[cluster.Running] > 0))
	},
}

// tell writes a family of /metrics for the shared harvests, if they have it.
func (m clusterModel) tell(w io.Writer, family string) {
	value := sharedFigures[family]
	for i := range m.Harvests {
		if h := &m.Harvests[i]; value != nil {
			fmt.Fprintf(w, "%s{harvest=\"%s\"} %s\n", family, labelText.Replace(h.Name),
				strconv.FormatFloat(value(h), 'g', -1, 64))
		}
	}
}

// tellShards writes how shards and nodes stand.
func (m clusterModel) tellShards(w io.Writer) {
	const shards, given, nodes = "watershed_shards", "watershed_shards_given", "watershed_node_there"
	head := func(family, help string) { fmt.Fprintf(w, "# HELP %s %s\n# TYPE %[1]s gauge\n", family, help) }
	head(shards, "Shards of a harvest that nodes share, by state.")
	for i := range m.Harvests {
		h := &m.Harvests[i]
		name := labelText.Replace(h.Name)
		for _, state := range []cluster.State{
			cluster.Waiting, cluster.Running, cluster.Stopped, cluster.Ended,
		} {
			fmt.Fprintf(w, "%s{harvest=\"%s\",state=\"%s\"} %d\n", shards, name, state, h.counts[state])
		}
	}
	head(given, "Shards that nodes which lagged gave away.")
	for i := range m.Harvests {
		h := &m.Harvests[i]
		fmt.Fprintf(w, "%s{harvest=\"%s\"} %d\n", given, labelText.Replace(h.Name), h.given)
	}
	head(nodes, "1 while a node of the cluster takes shards.")
	for _, n := range m.Nodes {
		fmt.Fprintf(w, "%s{node=\"%s\"} %d\n", nodes, labelText.Replace(n.Name), b2i(n.Takes))
	}
}
