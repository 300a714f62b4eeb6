// Package growth grows replicated collections while a crawl runs, so that the rest of a copy can be
// put back before it is fetched: J. Cho, N. Shivakumar, H. Garcia-Molina, Finding replicated web
// collections, SIGMOD 2000, on line.
//
// # Words
//
// A place is a directory, or a host as the directory of all its pages. Two pages are twins when
// they are similar and end with the same path below two places; the longest such path tells the
// places. A place is a copy of another one when leastTwins or more of its pages have a twin
// there, and
//
//	containment  of the pages that lie in both places under the same path, the part that are similar
//	purity       of the pages of the copy, the part of which the other place is known to have the path
//	shape        the mean likeness of the links of twins, told from the page: "../b.html", "http://other/"
//
// reach the options. Containment counts a page that the other place was found not to have as one
// that is not similar; purity counts paths that are only linked to yet.
//
// # How it is kept
//
//	Add   index the page by its least shingles, pair it with the pages that have some of them in common,
//	      and count the pair for its places
//	Measure  compare two places that have pairs enough, page by page
//
// Nothing is removed, and a pair is found by its later page, so that the copies do not depend on the
// order of the pages; but for shingles of more than mostCommon pages, which say nothing from
// then on. A page with thirty links took 2,000 bytes.
//
// Not safe for concurrent use.
package growth
