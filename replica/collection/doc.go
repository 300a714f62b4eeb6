// Package collection finds replicated collections: groups of linked pages of which several places
// of the web hold copies, as in J. Cho, N. Shivakumar, H. Garcia-Molina, Finding replicated web
// collections, SIGMOD 2000, sections 2 to 4.
//
// Pages that are similar form a trivial cluster. The caller chooses which pages are similar: pages
// that share more than T chunks of text (Chunker), pages of the same text, or the clusters of
// another engine (Input.Clusters). Trivial clusters whose pages link to each other one by one are
// merged into cores: a core has replicas, each with one page of every trivial cluster merged. Two
// further phases, which the paper names as future work (section 6), make cores whole: cores that
// are separated only by a page without a copy are joined, and places that hold similar pages under
// the same relative paths are extended by the pages nearby.
//
// A replica is one copy: pages of one site under one directory. A collection is a cluster in the
// paper's words: its replicas, one of them the representative, and for each page of a replica the
// page of the representative that stands for it. Cardinality is the number of replicas, size the
// number of pages.
//
// The outline:
//
//	number pages by URL; links to a compressed table          4 bytes a link
//	trivial clusters: chunks sorted, pairs counted, union-find
//	link summary: (Ri, Rj, s, d) sorted; merge condition; perfect matching
//	cores: spanning trees of the trivial cluster graph fix who belongs to which replica
//	join: cores on both sides of a break point
//	places: alignments of directories voted by similar pages; classes of places; mappings by path,
//	    likeness and link
//
// All orders are those of URLs, so the result does not depend on the order of the input. The
// package does no input or output; data that do not fit into memory go through the
// folder that the caller hands in.
package collection
