// Package flow pushes a preflow through a network that is still being discovered, and finds where
// the flow is narrowest.
//
// A Network has vertices, arcs between them, a source s and a sink t. It computes a maximum flow
// from s to t and, of all minimum cuts, the one whose source side is smallest. In a survey of the
// web the vertices are pages, the arcs are links, s feeds the pages that are known to belong to a
// site, every page pays a toll to t, and the source side is the site.
//
// # Words
//
//   - Capacities are int64 in fixed point (graph.Unit is 1), or any other unit used throughout:
//     sums are exact, solvers can be compared by equality, and the same calls give the same bytes
//     on every machine. graph.Fixed converts floats. The capacities at one vertex must sum to less
//     than 2⁶³.
//   - The source capacity c(s,u) of a vertex is Infinite for a seed, small for a soft source, else
//     0.
//   - The sink capacity c(u,t) is the toll of the vertex, the α of Flake, Tarjan and
//     Tsioutsiouliklis; Infinite keeps the vertex out.
//   - A vertex is hidden until Reveal gives its arcs. Until then it has its toll, what others' arcs
//     give it, and nothing else.
//   - The excess of a vertex is what it received and could not pass on. A flow with excess is a
//     preflow.
//   - The source side is the set of vertices reachable from excess along arcs with residual
//     capacity.
//   - An epoch is one Solve that had something to do. It is warm when it goes on from the preflow
//     of the last one.
//
// # The fetch rule
//
// Reveal a vertex if and only if it is hidden and on the source side of the minimal minimum cut of
// what is known; stop when there is none. Wanted lists these vertices after each Solve. At the stop
// the flow is maximum, and the cut minimal, in the whole network, whatever the hidden vertices
// would have shown: every vertex reachable from excess is revealed, so no path of the whole network
// is missing. The result does not depend on the order or the number of vertices revealed at a time.
// As every vertex that was wanted absorbs its toll, and absorbed flow never returns while
// capacities do not shrink, no more than c(seeds, rest)/α vertices are revealed beside the seeds
// (MostFetches). With reverse capacities all of this holds in the network of the known links: a
// link from a page that was never revealed is invisible to any crawler.
//
// The loop is the caller's, because pages come when their servers answer. The Survey of package
// sitemap reveals a page when it was answered, and sets the arcs of its links, and those of links
// that lead to it, by AddArc and SetArc. It solves warm, asks for some of what is Wanted, those with
// the largest Bond first, and goes on with the next visit. The process of Senellart has Paper, with
// a Reveal of its own.
//
// # Absent on purpose
//
// No page is fetched, no clock read, nothing logged, no goroutine started. No flow is returned to s
// (phase two): the minimal cut does not need it. Floating point occurs only where a capacity is
// made from a distance.
package flow
