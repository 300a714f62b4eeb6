// Package archive writes and reads what a harvest leaves: WARC files, CDXJ indexes, WACZ packages
// and the logs beside them.
//
// Words. A record is a WARC record. A draft is a record that was not yet written: the Writer gives
// it its digests, its warcinfo and its place. A member is a record as one gzip member, which is how
// it lies in a file. A capture is all that one exchange leaves: the main record (response or
// revisit), the request, the metadata. A batch is what one call of Writer.Write takes: it lies in
// one file, without a gap, or not at all.
//
// # Files of our own
//
// A file NAME.warc.gz is called NAME.warc.gz.open until it is closed. It is a row of gzip members,
// one record each:
//
//	warcinfo                      WARC-Filename = NAME.warc.gz, the final name
//	response | revisit            WARC-Concurrent-To: every other record of its capture   } one capture,
//	request                       WARC-Concurrent-To: the main record                     } one batch
//	metadata                      WARC-Concurrent-To: the main record                     }
//	resource (dns:...)            a capture of one record
//	...
//
// Since the main record comes first and names all that belong to it, a reader knows whether a
// capture is whole: this is what Repair and Compact go by.
//
// # Digests
//
// WARC allows one WARC-Block-Digest and one WARC-Payload-Digest a record. Ours are sha256 in
// lower-case hexadecimal, which warcio, pywb, jwarc, cdxj-indexer and ReplayWeb.page read as they do
// sha1 in upper-case base32; SHA-1 is no longer safe against made-up collisions. The payload is the
// entity-body: transfer coding removed, content coding left in.
//
// Sources: ISO 28500:2017 (WARC 1.1) with the IIPC's annotations; CDXJ 0.1.0 and WACZ 1.1.1 of
// Webrecorder; Heritrix 3 for file names, metadata fields and crawl.log.
package archive
