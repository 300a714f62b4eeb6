// Package fetch makes one HTTP exchange at a time and hands it on as it went over the wire.
//
// A Fetcher holds what all workers share: options, addresses of hosts, idle connections. A Worker
// is one goroutine's own shell: a synchronous colly collector whose http.RoundTripper is our
// recorder. Worker.Fetch returns a page.Exchange, whatever happened; what went wrong stands in its
// Err.
//
//	Fetch    = colly builds the request → recorder.RoundTrip
//	recorder = connection (idle, or: address → check → dial → TLS) → write request → read head, 1xx cut off
//	         → read body by its framing, each byte into the spool; the same pass takes the codings
//	             off, within a bound
//
// The wire is spoken here and not by http.Transport: an archive has to know where a response begins
// and ends to the byte, to keep what a broken server sends, and to limit each stage by itself. A
// single goroutine reads and writes, so nothing of the record is shared. The price is HTTP/2, which
// is not spoken, and which has no standard form in WARC anyhow.
//
// Invariants:
//  1. A connection is dialled to an address that was checked, and to no other; a name is never
//     handed to the dialer.
//  2. Response holds the final response alone: no interim 1xx, no byte past its end by its own
//     framing, but for a page that goes on behind a wrong length.
//  3. A connection returns to the idle ones only after a whole response with nothing behind it.
//  4. No redirect is followed, no cookie kept, no environment variable read.
//  5. The fields that a login adds to a request, and the cookies that its answer sets, are in no
//     exchange: see Credentials.
//  6. Memory per worker is at most SpoolAbove + MaxHead + MaxDecoded and the buffers; the rest is
//     on disk.
package fetch
