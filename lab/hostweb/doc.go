// Package hostweb generates webs of hosts as crawlers saw them in 1998, with the truth about
// mirrors: hosts, the URLs, links, addresses and alike pages that a crawler would know of them, and
// what they declare. It stands in where no real list of such a size, with truth, can be had.
//
// # The parts of a web
//
//	site      a tree of pages; several hosts may show it: its original and its mirrors
//	host      shows a site, or part of it; a crawler knows a sample of its URLs, and read some of them
//	lookalike a site whose paths a program made, like those of others, with other content
//	guest     a document set that lies on many hosts that have nothing else in common
//	family    hosts of one organisation: one domain, one network, different sites
//
// Everything is drawn from Options.Seed and numbers of hosts and pages, so that a host can be made
// again at any time, and a web of any size needs memory only for its largest host and some numbers
// a host. Parameters are in Options, each with its source; what no source tells is our assumption
// and says so.
package hostweb
