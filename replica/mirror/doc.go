// Package mirror ranks pairs of hosts by how likely they are mirrors of each other, from what a
// crawler knows without fetching anything: URLs, links, addresses, which pages are alike, and what
// hosts declare.
//
// The rankings are those of K. Bharat, A. Broder, J. Dean, M. Henzinger, A comparison of techniques
// to find mirrored hosts on the WWW, 1999, section 3 (IP4, IP3, hosts, paths, prefix, shingles,
// conn, hconn1, hconn2, combined); stage I of K. Bharat, A. Broder, Mirror, mirror on the Web,
// 1999, section 3.1; two by evidence from below (content, declared); and two that fuse the others
// by a logistic model whose weights were fitted to generated webs (fused, and topdown, which leaves
// the evidence from below out).
//
// # Words
//
//   - A term is what hosts may have in common: a path, a directory, a pair of words, a host they
//     link to, a cluster of alike pages. Its document frequency is the number of hosts that have
//     it.
//   - A posting is a term and a host that has it. Two hosts that share terms are a pair; its weight
//     is the sum of the weights of these terms.
//   - A ranking is a list of pairs, the likeliest first.
//
// # Outline
//
//	one pass over the URLs, host by host      terms of the host ──→ postings, sorted outside memory
//	one pass over links, addresses, pages …   the same
//	each group of equal terms                 rejected, restricted to some hosts, or all ──→
//	                                          pairs, sorted and added up
//	each pair                                 normalised; the best Depth of a ranking are kept
//	the union of all rankings                 features of each pair ──→ probability, with its evidence
//
// Memory: the names and sums of the hosts (about 400 bytes each), the terms of the host being read,
// Options.Memory for sorting, and the kept pairs. Everything that grows with URLs or links is on
// disk, in the extsort.Dir handed in. The same input, options and seed give the same bytes, in
// whatever order hosts come.
//
// The package is pure: it knows no clock, no network and no log.
package mirror
