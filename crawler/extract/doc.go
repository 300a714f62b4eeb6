// Package extract reads what a fetched page says: the links in it and in its header, each typed by
// what it asks of a crawler; its title, language, charset and canonical address; whether robots may
// index it or follow it; and its visible text, for those who ask. It knows HTML, XHTML and SVG,
// CSS, feeds, sitemaps, web app manifests and the lists of films in pieces, and the header fields
// Link, Location, Refresh, Content-Location and X-Robots-Tag. Scripts are not run, and their
// behaviour is not guessed; addresses that they load by a literal string are taken.
//
// A page is parsed once. Two drivers feed the same rules: Tree walks the node tree of one goquery
// document, Scan reads the markup as a stream of tags. Tree gives two kinds of pages to Scan: a
// page that would cost it too much (nested too deeply, too large, or made so that its tree has many
// more nodes than tags), and a page without anything that a browser's parser drops or reads by rules
// of its own (frames, formulas, a form in a form). Whatever the bytes, Extract does not panic and
// takes time linear in their length.
package extract
