package mcl

import "errors"

// errTooLarge is returned for a graph of more than [MaxVertices] vertices.
var errTooLarge = errors.New("mcl: graph has too many vertices")

// errEdge is returned, wrapped, for an edge whose end lies outside the graph or whose weight is
// negative or not finite.
var errEdge = errors.New("mcl: bad edge")

// ErrOption is returned, wrapped, by Validate for a value out of its range.
var ErrOption = errors.New("mcl: bad option")

// ErrGraph is returned, wrapped, when two arguments do not speak of the same graph.
var ErrGraph = errors.New("mcl: graphs do not fit")
