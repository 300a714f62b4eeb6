// Package cluster finds which documents of a collection resemble each other.
//
// The words: a sweep is one pass of a crawl, numbered in time; a document is what one page was in
// one sweep (Key), known by its sketch, a set of shingles. Two documents are identical when their
// bytes have one digest, lexically equivalent when their canonical words have, shingle-equivalent
// when their sketches hold the same shingles; each includes the one before. They are linked when
// they are equivalent or their estimated resemblance reaches the threshold; a cluster is a
// connected component of two documents or more. A common shingle is in more than MaxDocuments
// different sketches, and is left out of every count.
//
// The method is that of Broder, Glassman, Manasse, Zweig, Syntactic Clustering of the Web, 1997,
// sections 4 and 5: divide, compute, merge. Everything that grows with shingles or pairs of
// documents lies in sorted tables on disk (docs/formats/clusters.md); in memory are
// Options.MemoryBytes and about 16 bytes a document.
//
//	read        each document becomes a row, its fingerprints ⟨print, document⟩, its sketch
//	            ⟨shingle, document⟩
//	duplicates  merge the fingerprints: equal ones link; of equal sketches only the first goes on
//	shingles    merge the ⟨shingle, document⟩: the postings; common shingles are set apart
//	pairs       expand each posting list to ⟨document, document, 1⟩
//	merge       merge the pairs, adding up: ⟨document, document, shingles in common⟩; link those
//	            above the threshold
//	form        components by union-find; number, rank and write them
//
// A Store keeps the tables. A new sweep is added by merging its own tuples and pairs with the
// tables: nothing is expanded again, and the outcome is that of adding everything at once. Numbers
// are not handed out by chance of order: the same documents, in any order and in any division, give
// the same clusters with the same numbers.
//
// The package is pure: no clock, no log, no network, disk only through the directory handed in.
package cluster
