package mcltool

import (
	"maps"
	"slices"
	"strconv"
	"strings"
	"testing"

	"watershed/graph"
	"watershed/mcl"
)

// readMatrix reads a graph in the native format of the reference program (mcxio), in which its own
// examples are. domain[v] is the number that the text gives to vertex v.
func readMatrix(tb testing.TB, text []byte) (g *mcl.Graph, domain []int) {
	tb.Helper()
	var edges []graph.Edge
	domain, _ = matrix(tb, string(text), func(column, row int, value float64) {
		edges = append(edges, graph.Edge{From: graph.ID(column), To: graph.ID(row), Weight: value})
	})
	g, err := mcl.NewGraph(len(domain), edges, mcl.JoinMax)
	if err != nil {
		tb.Fatal(err)
	}
	return g, domain
}

// readClusterMatrix reads a clustering in that format: columns are clusters, rows the vertices.
func readClusterMatrix(tb testing.TB, text []byte) (r mcl.Result, domain []int) {
	tb.Helper()
	clusters := map[int][]graph.ID{}
	domain, _ = matrix(tb, string(text), func(column, row int, _ float64) {
		clusters[column] = append(clusters[column], graph.ID(row))
	})
	return mcl.NewResult(len(domain), slices.Collect(maps.Values(clusters))), domain
}

// matrix gives each entry of a matrix, by its place in the domains of the columns and of the rows,
// and these domains.
func matrix(tb testing.TB, text string, entry func(column, row int, value float64)) (rows, columns []int) {
	tb.Helper()
	number := func(token string) int {
		n, err := strconv.Atoi(token)
		if err != nil {
			tb.Fatalf("%q: %v", token, err)
		}
		return n
	}
	section := func(name string) []string {
		_, rest, _ := strings.Cut(text, "("+name)
		body, _, _ := strings.Cut(rest, ")")
		return strings.Fields(body)
	}
	domain := func(size string, names ...string) (list []int) {
		for _, name := range names {
			for _, token := range section(name) {
				if token != "$" {
					list = append(list, number(token))
				}
			}
		}
		for i := 0; list == nil || len(list) < number(size); i++ {
			list = append(list, i)
		}
		return list
	}
	head := section("mclheader")
	high, wide, _ := strings.Cut(head[len(head)-1], "x")
	rows, columns = domain(high, "mclrows", "mcldoms"), domain(wide, "mclcols", "mcldoms")
	column := -1
	for _, token := range section("mclmatrix")[1:] {
		at, value, weighed := strings.Cut(token, ":")
		switch {
		case token == "$":
			column = -1
		case column < 0:
			column = slices.Index(columns, number(at))
		default:
			weight := 1.0
			if weighed {
				var err error
				if weight, err = strconv.ParseFloat(value, 64); err != nil {
					tb.Fatal(err)
				}
			}
			entry(column, slices.Index(rows, number(at)), weight)
		}
	}
	return rows, columns
}
