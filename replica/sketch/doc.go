// Package sketch reduces a document to a few hundred bytes from which its likeness to any other can
// be estimated.
//
// The words: a token is a word of the visible text in canonical form; a shingle is a run of w
// tokens; the w-shingling of a document is the set of its distinct shingles, and any other set of
// features may stand in its place. The resemblance of two documents is |A∩B|/|A∪B| over these sets,
// the containment of A in B is |A∩B|/|A|. A sketch is a sample of the set, chosen by the features'
// own fingerprints, so that the samples of two documents agree where the documents do. Source:
// Broder, Glassman, Manasse, Zweig, Syntactic Clustering of the Web, 1997, sections 2 and 3.
//
// The way of a document: a Builder takes text or features piece by piece, folds them to
// tokens, rolls a fingerprint over each w of them, mixes it by a fixed bijection, and keeps the
// selected ones; Finish gives the Sketch. Resemblance compares two sketches and gives an estimate
// with its error. AppendEncode and Decode turn a sketch to bytes and back.
//
// The package is pure: no clock, no log, no disk, no goroutine, and the same document gives the
// same bytes on every machine.
package sketch
