// Package delimit finds the logical websites in what was archived already: which there are, where
// each ends, and which pages belong that were never captured.
//
// # Words
//
//   - A Web is the graph of what an archive holds: pages, redirects, failures, their links, and the
//     URLs that links lead to.
//   - A root is a part of a host that is one site as far as the host itself tells.
//   - A rest is a site of fewer pages than Options.MinPages: a lone page of a host of which nothing
//     else was captured.
//
// # The method
//
//	roots ← each host divided, from its top down
//	    a directory of which half the pages lead to one page above it, where some page leads back, is of one site with that;
//	        so are two directories side by side where the page that half of one lead to leads back itself
//	    directories whose pages have the same names are versions or languages of one work
//	    the home directory of a user is a root whatever the links say; what is tiny stays with what lies above it,
//	        unless that is a shelf: nothing was captured right in it, and two roots or more lie there
//	    where what is left is one part the directory is a root, else its parts are roots and are divided in their turn
//	boundaries ← each root as the prefix of a site, surveyed in the archive: what the survey wants is answered at once by what was
//	    captured, or by the word that it was not
//	sites ← roots of which one's boundary takes in most pages of another's are one site
//	boundaries of the sites of several roots ← surveyed once more, with all of them as the prefix
//
// Every captured page is of exactly one site: that of its root. Pages of another site that a
// boundary takes in, too few to reach Options.Merge, are told as a claim. A page on a shared host,
// a CDN for example, that several boundaries take in stays with its own root. A page that a
// boundary takes in and that was not captured is missing.
//
// Each site is surveyed on its own over the shared graph, so the cost grows with the pages of all
// sites and not with pages times sites; the result does not depend on Options.Workers.
//
// # Measurements
//
// See docs/decisions/0012-sites-of-an-archive.md.
package delimit
