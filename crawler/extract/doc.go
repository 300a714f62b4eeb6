// Package extract reads what a fetched page says: the links in it and in its header, each typed by
// what it asks of a crawler; its title, language, charset and canonical address; whether robots may
// index it or follow it; and its visible text, for those who ask. It knows HTML, XHTML and SVG,
// CSS, feeds, sitemaps and web app manifests, and the header fields Link, Location, Refresh,
// Content-Location and X-Robots-Tag. Scripts are not run and not guessed at; what they load by a
// string is taken.
//
// A page is parsed once. Two drivers feed the same rules: Tree walks the node tree of one goquery
// document, Scan reads the markup as a stream of tags. Tree gives a page that would cost it too
// much (nested too deeply, too large, or made to multiply) to Scan, and one whose elements close in
// the order they were opened, since its tree says what its tags say. Whatever the bytes, Extract
// does not panic and takes time linear in their length.
package extract
