package ui

import (
	"errors"
	"strings"
	"testing"

	"watershed/cluster"
)

// boardOf is what a broker tells of two nodes, of which one takes shards, and of a harvest with three.
func boardOf(name string) *cluster.Board {
	return &cluster.Board{
		Nodes: map[string]cluster.NodeRecord{"one": {Room: 2}, "two": {Room: 3, Cause: "the disk is full"}},
		Harvests: map[string]cluster.HarvestRecord{
			name: {Round: 2, Shards: []int{1, 7, 9}},
		},
		Shards: map[cluster.ShardID]cluster.ShardRecord{
			{Harvest: name, Shard: 1}: {
				Node: "one", Round: 2, State: cluster.Ended, Code: 6,
				Figures: cluster.Figures{Visits: 10, Captured: 8, Failed: 2, Bytes: 4096},
				Lost:    []cluster.Loss{{Node: "three", Round: 2, Captured: 5}},
			},
			{Harvest: name, Shard: 7}: {
				Node: "two", Round: 2, State: cluster.Running,
				Broken:  2,
				Figures: cluster.Figures{Visits: 30, Captured: 30, Pending: 4, Doing: "it uploads"},
			},
			{Harvest: name, Shard: 9}: {From: "two", Round: 2, State: cluster.Running}, // it was left
		},
	}
}

// TestMachines: the page of a cluster and its metrics tell nodes, shards, figures and losses as the
// broker has them, with names that are hostile; and say so where it does not answer.
func TestMachines(t *testing.T) {
	d := newDesk(t)
	d.enter()
	if r := d.do("GET", "/machines", nil, nil); r.StatusCode != 404 {
		t.Errorf("a desk of no cluster answers %d", r.StatusCode)
	}
	if strings.Contains(d.get("/"), "/machines") {
		t.Error("a desk of no cluster links to the page of one")
	}
	const name = `<b>"x`
	board := boardOf(name)
	var cause error
	d.server.options.Board = func() (*cluster.Board, error) { return board, cause }
	page := d.get("/machines")
	for _, want := range []string{
		"takes no shards: the disk is full", "Round 2: 1 of 3 shards", "40 URLs asked for, 38 captured",
		"ended, with exit code 6", "Begun anew in round 2; captures lost with node three: 5.",
		"running, broke off 2 times", "it uploads", "left by two, and free for others",
		"data-renew", "&lt;b&gt;",
	} {
		if !strings.Contains(page, want) {
			t.Errorf("%q is not on the page:\n%s", want, page)
		}
	}
	if strings.Contains(page, "<b>") {
		t.Error("a name is markup")
	}
	told := d.get("/metrics")
	for _, want := range []string{
		`watershed_shards{harvest="<b>\"x",state="running"} 1`,
		`watershed_shards{harvest="<b>\"x",state="waiting"} 1`,
		`watershed_node_there{node="one"} 1`, `watershed_node_there{node="two"} 0`,
		`watershed_visits_total{harvest="<b>\"x"} 40`, `watershed_live{harvest="<b>\"x"} 1`,
	} {
		if !strings.Contains(told, want+"\n") {
			t.Errorf("the metrics do not tell %s", want)
		}
	}
	for _, n := range []int{7, 9} {
		id := cluster.ShardID{Harvest: name, Shard: n}
		x := board.At(id)
		x.Order()
		board.Shards[id] = x
	}
	page = d.get("/machines")
	if !strings.Contains(page, "data-renew") || !strings.Contains(page, "is to stop") ||
		!strings.Contains(page, "stopped") || strings.Contains(page, "left by") {
		t.Errorf("orders to stop are not told:\n%s", page)
	}
	board.Stale = true
	if page := d.get("/machines"); !strings.Contains(page, "does not answer at present") {
		t.Error("it is not told that the broker does not answer any more")
	}
	cause = errors.New("the key is wrong")
	page = d.get("/machines")
	if !strings.Contains(page, "not answer: the key is wrong") || !strings.Contains(page, "data-renew") {
		t.Errorf("it is not told that the broker does not answer, or that it does again:\n%s", page)
	}
}
