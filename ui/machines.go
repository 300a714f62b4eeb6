package ui

import (
	"fmt"
	"io"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"time"

	"watershed/cluster"
)

// machinesModel is what the page of a cluster shows.
type machinesModel struct {
	Cause    string // why the broker does not tell; "" where it does
	Stale    bool   // it does not any more
	Nodes    []nodeLine
	Harvests []sharedHarvest
}

// nodeLine is a node as the page shows it.
type nodeLine struct {
	Name, Stands string
	Held, Room   int // shards
	there        bool
}

// sharedHarvest is a harvest that nodes share.
type sharedHarvest struct {
	Name   string
	Round  int
	Ended  int
	Shards []shardLine
	counts map[cluster.State]int
	cluster.Figures
}

// shardLine is a shard as the page shows it.
type shardLine struct {
	ID, Stands string
	cluster.ShardRecord
}

// Moves reports that a shard waits or is harvested.
func (m machinesModel) Moves() bool {
	return slices.ContainsFunc(m.Harvests, func(h sharedHarvest) bool { return h.moves() })
}

func (h *sharedHarvest) moves() bool {
	return h.counts[cluster.Waiting]+h.counts[cluster.Running] > 0
}

// machinesOf makes the model of what a broker tells.
func machinesOf(b *cluster.Board, err error) machinesModel {
	if err != nil {
		return machinesModel{Cause: err.Error()}
	}
	m := machinesModel{Stale: b.Stale}
	for _, name := range slices.Sorted(maps.Keys(b.Nodes)) {
		n := b.Nodes[name]
		line := nodeLine{Name: name, Held: b.Held(name), Room: n.Room, Stands: "there"}
		switch gone := b.Gone(name); {
		case gone > 0:
			line.Stands = "gone, for at least " + gone.Round(time.Second).String()
		case n.Cause != "":
			line.Stands = "takes no shards: " + n.Cause
		default:
			line.there = true
		}
		m.Nodes = append(m.Nodes, line)
	}
	for _, name := range slices.Sorted(maps.Keys(b.Harvests)) {
		h := sharedHarvest{Name: name, Round: b.Harvests[name].Round, counts: map[cluster.State]int{}}
		for _, id := range b.Of(name) {
			x := b.At(id)
			line := shardLine{id.String(), string(x.State), x}
			switch {
			case x.State == cluster.Ended && x.Code != 0:
				line.Stands = fmt.Sprintf("ended, with exit code %d", x.Code)
			case x.Node == "":
				line.Stands = "waits for a node"
			}
			h.counts[x.State]++
			h.Add(x.Figures)
			h.Shards = append(h.Shards, line)
		}
		h.Ended = h.counts[cluster.Ended]
		m.Harvests = append(m.Harvests, h)
	}
	return m
}

// machines shows the nodes of a cluster, and the harvests that they share.
type machines struct{ *Server }

// model is what the broker tells now; false where the desk is of no cluster.
func (s machines) model() (machinesModel, bool) {
	if s.options.Board == nil {
		return machinesModel{}, false
	}
	return machinesOf(s.options.Board()), true
}

// page serves the page of the cluster.
func (s machines) page(w http.ResponseWriter, r *http.Request) {
	m, ok := s.model()
	if !ok {
		s.refuse(w, r, notFound("This desk is of no cluster: watershed ui --cluster shows one."))
		return
	}
	s.render(w, r, http.StatusOK, "machines", nil, m)
}

// sharedFigures are the metrics of a shared harvest that have the names of one on a single machine.
var sharedFigures = map[string]func(*sharedHarvest) float64{
	"watershed_visits_total":         func(h *sharedHarvest) float64 { return float64(h.Visits) },
	"watershed_captures_total":       func(h *sharedHarvest) float64 { return float64(h.Captured) },
	"watershed_failures_total":       func(h *sharedHarvest) float64 { return float64(h.Failed) },
	"watershed_received_bytes_total": func(h *sharedHarvest) float64 { return float64(h.Bytes) },
	"watershed_pending_urls":         func(h *sharedHarvest) float64 { return float64(h.Pending) },
	"watershed_live":                 func(h *sharedHarvest) float64 { return flag(h.moves()) },
}

// tell writes a family of /metrics for the shared harvests, if they have it.
func (m machinesModel) tell(w io.Writer, family string) {
	value := sharedFigures[family]
	for i := range m.Harvests {
		if h := &m.Harvests[i]; value != nil {
			fmt.Fprintf(w, "%s{harvest=\"%s\"} %s\n", family, labelText.Replace(h.Name),
				strconv.FormatFloat(value(h), 'g', -1, 64))
		}
	}
}

// tellShards writes how shards and nodes stand.
func (m machinesModel) tellShards(w io.Writer) {
	const shards, nodes = "watershed_shards", "watershed_node_there"
	fmt.Fprintf(w, "# HELP %s Shards of a harvest that nodes share, by state.\n# TYPE %s gauge\n", shards,
		shards)
	for i := range m.Harvests {
		h := &m.Harvests[i]
		name := labelText.Replace(h.Name)
		for _, state := range []cluster.State{
			cluster.Waiting, cluster.Running, cluster.Stopped, cluster.Ended,
		} {
			fmt.Fprintf(w, "%s{harvest=\"%s\",state=\"%s\"} %d\n", shards, name, state, h.counts[state])
		}
	}
	fmt.Fprintf(w, "# HELP %s 1 while a node of the cluster takes shards.\n# TYPE %s gauge\n", nodes, nodes)
	for _, n := range m.Nodes {
		fmt.Fprintf(w, "%s{node=\"%s\"} %g\n", nodes, labelText.Replace(n.Name), flag(n.there))
	}
}
