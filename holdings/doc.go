// Package holdings finds in a harvest's folder the capture that answers for a URL: its own, the one
// that a revisit refers to, or that of the representative in whose favour the URL was left out.
//
// # Words
//
//   - Found is a capture that answers, with what led to it: rules of replicas, a revisit.
//   - A capture disagrees where it cannot stand for a URL that a run left out: Reader.Disagrees.
//   - The payload is what a revisit refers to; Found.Open gives the record that has it.
//
// # Invariants
//
//  1. Nothing of an index is held in memory: a look-up is a binary search in the index of each run,
//     a sample is one reading of it.
//  2. The nearest capture in time answers; a capture of the URL itself goes before one under
//     another scheme, or with or without "www.".
//  3. No rule leads in a circle, and revisits of revisits are followed a few steps only.
package holdings
