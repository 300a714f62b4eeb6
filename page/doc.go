// Package page has the nouns that every other package speaks of. It does no input or output, and
// holds no state.
//
//   - A URL is canonical: ParseURL makes it, equal strings are one page, and its Key is the same
//     number on every machine. Host is its host and port; SURT writes it for indexes.
//   - A Link leads from a page to a URL, and says what it asks of a crawler.
//   - An Exchange is one request and its response as they went over the wire; a redirect is an
//     exchange of its own.
//   - A Visit is what is remembered of an attempt to fetch a page: without the bytes, which are in
//     the archive at its Location.
//   - A Digest is the SHA-256 of a payload; the Origin of a payload is the capture that had it
//     first.
//   - A Rule says which URLs an archivist means: by URL, prefix, host, domain, SURT or regular
//     expression.
//
// Parsing costs time linear in the text, whatever the text; a parsed URL costs nothing more than
// its string.
package page
