// Package page has the nouns that every other package speaks of: URL and Host, Link, Exchange (one request and its response
// as they went over the wire), Digest, Location (where a record lies in a WARC file) and Visit (what is remembered of a
// page once it was fetched). It does no input or output.
package page
