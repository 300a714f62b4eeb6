// Package novelty notices places of a web that go on for ever without saying anything new:
// calendars, session identifiers, lists that can be sorted and filtered, pages that a program makes
// up.
//
// A Monitor counts, for each place (a path without its query, and each directory above it, numbers left
// out), what the pages fetched from it have brought: how much of their text was not seen there before,
// and how many addresses of the same place they were the first to name. A place is stopped when it has
// brought many pages, hardly any text of the last ones was new, and yet they went on naming new
// addresses: an endless place behaves so, and a finite one, however dull, does not. A page that names
// very many, as a list does, tells nothing of that alone: several have to. Where
// some of them brought most pages of a wider one, they alone are stopped: a calendar, and not its site.
// Digits do not count as text, because endless places count, but for rows of decimal numbers and tables of
// others; a page that has a word, or shows an image, style or script, that no other page did is new whatever
// its text says. Else nothing is new of a page whose address names the words of another one in another order,
// where both are alike: lists of what has all of some tags, or filters, name them so.
//
// A stopped place keeps out only what is of a dull kind: pages are of one kind whose addresses differ in
// numbers and in the values of their arguments alone, or that lie right in one directory. A kind that
// brings what is new to its host, or leads to such pages, goes on; of others some pages are tried. So are
// addresses with a query of whose path nothing was fetched: each link may have another number behind it. An
// address goes on, too, with a value that no page had, of an argument whose new values bring something, as
// that of an article which a program names once for each menu; where a number is the value, a line of text
// that is new to the host is enough. Pages that a list leads to may be fetched long after it, so that some
// lists that were kept out have to be asked for in the end.
//
// A page may say something in a word or two, by numbers, or by words that others have had: a short
// record, a level, a vote. Where some of the last pages of a stopped place had a word that no page had,
// but for those of the address, or lines together that none had, but for numbers of the address and
// dates, the place brings twice as many pages once nothing else is left to fetch, and so on up to 10
// times Options.Pages. So a chain of such pages is had, and a calendar that shows prices ends, as does a
// maze whose links have names that are made up.
//
// The counts of a place are lost when the process ends: after a restart it takes Options.Pages
// pages again to stop it.
//
// The idea that a crawler should notice endless collections of near copies is that of Cho,
// Shivakumar and Garcia-Molina, Finding Replicated Web Collections, 2000, section 5.1 (noise); the
// rule is our own.
package novelty
