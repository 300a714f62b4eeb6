// Package crawler runs a crawl: it owns the workers, and the life of one page is one function,
// Crawler.page.
//
//	lease        the frontier hands out a URL whose host and address have rested
//	address      the host's address is looked up once; the answer is archived
//	permit       robots.txt is fetched under the lease when it is not known; a URL that it forbids
//	             becomes a visit that says so
//	login        where the site has one, it is made first, a request a lease
//	fetch        one exchange, recorded as it went over the wire
//	record       its capture is appended to the archive, as a response or a revisit
//	extract      links, title, character set
//	commit       the survey learns the visit and says what it wants; ONE store transaction holds
//	             the visit, the end of the lease, and the wanted URLs
//
// Invariants:
//
//  1. A visit is committed only after its record has been written. A keeper syncs archive and store
//     each second, in this order, so a power cut loses at most what came since it did so last.
//  2. Only one goroutine at a time is in commit: survey and store have one owner.
//  3. A lease ends in commit, in the frontier's Release or Postpone, or with the process.
//  4. Errors of pages are visits; an error of Run means that the crawl cannot go on, or that its
//     caller wanted it to stop.
package crawler
