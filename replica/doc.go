// Package replica keeps the table of replicas: which hosts and directories hold copies of others,
// on what evidence, and which pages a crawl may therefore leave out.
//
// # Words
//
//   - An Entry says that one host, or one directory, stands for another: the replica From is left
//     out in favour of the representative To.
//
//   - Its state tells how far that is trusted:
//
//     proposed ──→ confirmed ──→ pruned ──→ expired ──┐
//     │           │  ↑          │  │                │
//     ↓           ↓  └──────────┼──┴──→ reopened    │
//     rejected ←──┴─────────────┘          │        │
//     └────────────────── confirmed again ─┴────────┘
//
//   - Its level is that of Bharat and Broder (Mirror, Mirror on the Web, 1999): 1, same paths and
//     same bytes; 2, the same but for markup and white space; 3, highly similar; 4, part of the
//     paths, highly similar; 5, same paths, related.
//
// Nothing is decided for good: each change of state is noted with its date, its reason and who made
// it, a confirmation ends after Options.Expire, and a harvest compares a Sample of the pages that
// it leaves out with the pages that stand for them.
//
// # Invariants
//
//  1. No replica has two entries; no entry points to a replica in force: Resolve needs one step for
//     each nesting of directories, and it ends.
//  2. A representative lies outside of what its entry covers.
//  3. Reading what WriteYAML or WriteCSV wrote gives an equal table, to the nanosecond and the last
//     bit.
//
// The package is pure: it knows no clock, no disk and no network. A Table is not safe for
// concurrent use.
package replica
