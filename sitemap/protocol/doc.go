// Package protocol reads and writes the files by which a site tells its pages: sitemaps.org urlsets
// and indexes, text sitemaps, and the feeds (RSS 0.9x, 1.0, 2.0, Atom) that the protocol admits as
// sitemaps. It knows no HTTP and no URL type: addresses go in and come out as text.
//
// Read takes files as they are found, not as they should be: namespaces may be missing or wrong,
// entities unknown, elements unclosed, the first lines blank; gzip is recognised by its first bytes
// and decompressed under a bound. Nothing is expanded, fetched or held: the memory needed does not
// grow with the file.
//
// Write makes files that keep the protocol's limits: urlsets that are split where they would grow
// too large, and the index that lists them.
//
// Source: sitemaps.org, "Sitemaps XML format", protocol 0.90; RFC 4287 (Atom); RSS 2.0
// specification of the RSS Advisory Board; RDF Site Summary 1.0; RFC 5005 (feed paging); leniency
// after what crawler-commons' SiteMapParser accepts.
package protocol
