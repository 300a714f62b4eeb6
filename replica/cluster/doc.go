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
// documents is sorted outside memory; in memory are Options.MemoryBytes and some 20 bytes a
// document.
//
//	read        each document becomes a row, its fingerprints ⟨print, document⟩, its sketch
//	            ⟨shingle, document⟩
//	duplicates  sort the fingerprints: equal ones link; of equal sketches only the first goes on
//	shingles    sort the ⟨shingle, document⟩
//	pairs       the documents of each shingle that is not common become ⟨document, document, 1⟩
//	merge       sort the pairs, adding up: ⟨document, document, shingles in common⟩; link those
//	            above the threshold
//	form        components by union-find; number and order them
//
// Numbers are not handed out by chance of order: the same documents, in any order, give the same
// clusters with the same numbers.
//
// The package is pure: no clock, no log, no network, disk only through the directory handed in.
package cluster
