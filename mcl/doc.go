// Package mcl finds the dense parts of an undirected graph with the Markov Cluster algorithm.
//
// A random walker who starts in a dense part of a graph seldom leaves it soon. The algorithm makes
// that visible by turns: to expand is to take a power of the column-stochastic matrix of the walk,
// so that flow spreads; to inflate is to raise every entry to the power r > 1 and to rescale the
// columns, so that strong flow grows and weak flow dies. To prune is to drop small entries, which
// keeps the matrix sparse. The limit is a matrix whose columns point to attractors: the attractors
// that reach each other are a system, and a system with all vertices that lead to it is a cluster.
//
//	M ← columns of the graph with loops, each divided by its sum
//	repeat
//	    expand   column j ← M · column j, products below Options.Floor not formed
//	    prune    cutoff, then recovery or selection; chaos of the column is measured here
//	    inflate  entry ← entry^r, column ← column / sum
//	until the largest chaos of a column is below Options.Chaos, or nothing changes
//	interpret   attractor systems and all that lead to them; overlap kept, split or assigned
//
// Callers with edges use [Cluster]; callers who cluster one graph more than once, or who measure,
// make a [Graph]. Refine divides clusters that are too large. The laboratory (lab/mcltool) reads and
// writes the formats of van Dongen's program, merges clusters, and judges them.
//
// Everything here is a function of its arguments: the same graph and the same options give the same
// clusters, whatever the number of threads.
//
// Sources: Stijn van Dongen, Graph Clustering by Flow Simulation, PhD thesis, University of
// Utrecht, 2000; the manual of his program mcl 22-282 for pruning; Pierre Senellart, Website
// Identification, 2003, section 3, for its use on the Web.
package mcl
