// Package prove tests whether two hosts, or two directories, mirror each other, and at which level.
//
// # Words
//
//   - A pair is a candidate; a test tries one path on both sides and has an Outcome: source failure
//     SF, target failure TF, fingerprint match FM, full, high, trace, or no similarity FS HS TS NS,
//     and NT where it says nothing.
//
//   - A Tally counts the outcomes of a pair; criteria make its Class of it: a level from 1 to 5, a
//     mismatch, or a failure.
//
//   - A verdict is a class with its evidence. It is found by test, or inferred from the verdicts of
//     other pairs.
//
// # How it goes
//
// A Prover is given pairs in the order of their rank, and the paths that are known. It says which
// pages it wants, learns the visits, and gives verdicts:
//
//	for each pair, when nothing earlier can decide it any more:
//	    follows from others       → verdict without a test
//	    the roots                 → failure of a host: put off, then tested through one that
//	                              mirrors it, or final
//	    paths known at A and at B → each on both sides
//	    out of reach for now      → put off, fetched again later, then final
//	    outcomes → tally → class  → verdict; union-find of mirrors, mismatches between the sets,
//	                              conflicts told
//
// Pages that were captured before are used before any page is fetched. A harvest gives the wants to
// its frontier, which decides when and how politely they are fetched.
//
// Sources: Bharat, Broder, Mirror, Mirror on the Web: A Study of Host Pairs with Replicated
// Content, 1999 (section 3.2); Bharat, Broder, Dean, Henzinger, A Comparison of Techniques to Find
// Mirrored Hosts on the WWW, 2000 (sections 4.1.1 and 4.1.2).
//
// The package is pure: no clock, no disk, no network, no goroutine. The verdicts do not depend on
// the order in which visits arrive.
package prove
