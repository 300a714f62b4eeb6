// Package search finds captures of a harvest by the words of their text, title and address.
//
// # Words
//
//   - The index is a file in the harvest's folder, search.db, made out of the archive and made
//     again from it at any time.
//   - A document is a capture of a page or of plain text that was answered with 200. A revisit is
//     no document: the capture that it refers to is.
//
// # Queries
//
//	archive boundary         both words
//	"web archive"            the words in this order, one after the other
//	archiv*                  words that begin so
//	-draft                   without the word
//	host:example.org         on this host or one below it; -host:example.org on any other
//	type:html, type:plain    media types that have the word
//	after:2026-01-31, before:2027    captured on that day or later; before that day, month or year
//	title:atlas, url:atlas   in the title, in the address
//
// Case and diacritics do not count, and ß is ss. A word is a run of letters and digits; scripts that put no
// spaces between words are found by whole runs alone.
//
// # Invariants
//
//  1. The index is SQLite with its full-text index FTS5, without the texts: snippets are read from
//     the archive when they are shown.
//  2. An update adds the captures made since the last one, in transactions of some hundred
//     documents; after an interruption the next update goes on there. A run that was delivered anew
//     is indexed anew.
//  3. Memory is bounded, whatever the length of the archive; the index takes about two fifths of the
//     text of its pages (docs/decisions/0025-full-text.md has the figures).
//  4. The text of a hit comes from the web and is hostile: it is given as parts, and never as
//     markup.
package search
