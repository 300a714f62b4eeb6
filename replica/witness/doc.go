// Package witness gathers evidence from a crawl for the ranking of hosts that may mirror each other
// (package mirror): which pages are alike, by their sketches or bytes, and what hosts declare of
// each other by redirects, canonical names, site maps and robots.txt.
//
// A Witness learns visits one by one, from the runs of a harvest or from any archive, in any order.
// Pages with the same text, or with nearly the same by their super shingles, make a cluster; so do
// pages without text of the same bytes. Pages and Declared give the evidence in the form that the
// ranking reads. It takes 150 to 700 bytes a page, and time linear in the visits and their links.
// Origins gathers which of several hosts with the same pages was the first to publish them.
//
// The package is pure: it knows no clock, no network and no log. A Witness is not safe for
// concurrent use.
package witness
