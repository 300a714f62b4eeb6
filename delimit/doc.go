// Package delimit finds the logical websites in an archive: which sites there are, where each ends,
// and which of their pages were never captured.
//
// # Words
//
//   - A Web is the graph of what an archive holds: pages, redirects, failures, their links, and the
//     URLs that links lead to.
//   - A root is a part of a host that is one site by the evidence of the host alone.
//   - A rest is a site of fewer pages than Options.MinPages: a lone page of a host of which nothing
//     else was captured.
//
// # The method
//
//	roots ← each host divided, from its top down
//	    a directory belongs with the pages above it if half of its pages link to one of them and
//	        any of them links back;
//	        two directories side by side belong together if half the pages of one link to a page
//	            of the other that links back
//	    directories whose pages have the same names are versions or languages of one work
//	    the home directory of a user is a root whatever the links say; a tiny part stays with the
//	        directory above it,
//	        unless that is a shelf: nothing was captured right in it, and two roots or more lie there
//	    if the directory is now one part it is a root, else its parts are roots and are divided in
//	        their turn
//	boundaries ← each root as the prefix of a site, surveyed in the archive: a page that the
//	    survey wants is answered at once,
//	    by its capture or as not captured
//	sites ← two roots are one site if the boundary of one takes in most pages of the other
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
