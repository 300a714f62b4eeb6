// Package demo is a small web of many hosts in one process: some 320 pages of made-up sites,
// described as data, with the truth about them and a log of who asked for what. Tests crawl it, and
// so does the command's demo.
//
// A Web is made of documents, each with a URL, a site and typed links to other documents; what is
// served is rendered from them, so that the truth and the bytes cannot disagree. Everything depends
// on Options alone: equal options give equal bytes. Epoch counts harvests after the first: pages
// are edited, moved, gone and new.
//
// The sites, by their names:
//
//	gemo        an institute on www.gemo.example, docs.gemo.example and osage.example/verso/,
//	            which link to one another
//	anna ...    five strangers at people.campus.example/~anna/, ~boris/, ~clara/, ~dmitri/ and ~emil/
//	society     www.lantern.example: a sitemap naming a page that nothing links to, a feed, old
//	            charsets, robots.txt rules
//	atlas       a handbook on www.atlas.example; atlas-mirror and atlas-1.2 are its mirror, byte
//	            for byte, and an older edition
//	library     catalogue.library.example: Crawl-delay, Disallow with * and $
//	wanderer    a blog with a blogroll: chunked, no validators
//	links       a directory that cites everybody
//	parish      a calendar without end
//	letters     a blog with permalinks in other alphabets, spelt as WordPress does, with odd
//	            escapes, and on two servers that redirect each spelling to theirs
//	tired       answers its first two requests with 503
//
// Other hosts only serve files (assets.cdn.example), redirect (go.example, old.lantern.example) or
// hold what surrounds a site (osage.example/printers/, people.campus.example/).
package demo
