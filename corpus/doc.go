// Package corpus reads pages out of archives that exist, whoever made them, without fetching
// anything.
//
// # Words
//
// A corpus is the pages in some files: WARC and ARC files of any writer, WACZ packages, CDXJ and CDX
// indexes with the files they lead to, and link lists; archive.Gather tells them by their content. A
// capture is a response, revisit or resource record that holds a page of the web, or a conversion
// record that holds its text (WET files); a record of a method other than GET is no capture (but see
// Options.Posts). A page is the capture that was chosen for a URL, read: its status, its links,
// where it leads.
//
// # How it is read
//
//	Open     look at every record once: which captures are there, of which URL, from when, with which status
//	         resolve revisits: by the URI and date they refer to, else by their digest, else by
//	             their own URL
//	         choose the captures of each URL
//	Pages    read the chosen captures, several at a time, and give them in the order of the files
//
// Of several captures of a URL the latest answered 200 counts, else the latest other success,
// redirect, answer, in this order; Options.All gives every one. A revisit is read from the record
// that it stands for and has its own URL and date; where that is not in the corpus only its status
// and head are known.
//
// An index selects: of the files that it names, only the records that it lists are read, by offset
// and length. A folder gives its WARC and ARC files with those of its subfolders; one without any
// gives its WACZ packages, and one without these its indexes. Files come in the order of the
// arguments, those of a folder in the order of their paths.
//
// # Cost
//
// About 100 bytes of memory a capture and 40 a distinct URL, and 8 MiB for each of a few
// pages under way. WARC files are decompressed twice, the first time only to find the records; with
// an index only the records that it lists are, once.
//
// Sources: ISO 28500:2017 (WARC 1.1), 6.7 for revisits; for what other crawlers write the documents
// and files of Heritrix, GNU wget, browsertrix-crawler and warcio.
package corpus
