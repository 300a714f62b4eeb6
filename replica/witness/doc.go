// Package witness gathers what a crawl saw for the ranking of hosts that may mirror each other
// (package mirror): which pages are alike, by their sketches or bytes, and what hosts declare of
// each other by redirects, canonical names, site maps and robots.txt.
//
// A Witness learns visits one by one, of the runs of a harvest or out of archives of anybody, in
// whatever order: pages of one text, of nearly one text by their super shingles, or without text of
// the same bytes, make a cluster. Pages and Declared hand out what it saw as the ranking reads it.
// It takes 150 to 700 bytes a page, and time linear in the visits and their links.
//
// The package is pure: it knows no clock, no network and no log. A Witness is not safe for
// concurrent use.
package witness
