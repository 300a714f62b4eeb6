// Package witness gathers what a crawl saw for the ranking of hosts that may mirror each other (package mirror): which pages are
// alike, by their sketches or bytes, and what hosts declare of each other by redirects, canonical names, site maps and robots.txt.
//
// The visits may come from the runs of a harvest or out of archives of anybody. The package is pure: it knows no clock, no network
// and no log.
package witness
