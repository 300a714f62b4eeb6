// Package sitemap finds out where a logical website ends.
//
// A Survey learns visits, one after the other, and says which pages it wants next. It is a fold: no input or output, no
// clock, no goroutine. When it wants nothing more, Map tells which pages belong to each site, which requisites they need,
// where the boundary runs, what was left out, and why.
//
// # Words
//
//   - The prefix is what lies below the directories of the seeds, and what rules include. It is always inside.
//   - A block is a set of pages that lie together: the prefix, a directory beside it, or a directory of another host. On a
//     foreign host the anchor is the deepest directory that receives most of the site's links; it is one block, and where a
//     path leaves that to the anchor another one begins.
//   - The mutual share σ of two blocks is 1 where they link to each other and to nothing else, 0 where one never links back.
//   - The capacity X of a link between blocks is near 1 where σ is well above Midpoint, near 0 where it is well below.
//   - A page is known once a page that was asked for links to it. It is asked for once, and answered when it was visited or
//     dropped. A block is probed once a few of its pages were answered.
//   - A requisite is what a page of the site cannot be shown without. It is wanted from any host and is evidence of nothing.
//   - An epoch computes the boundary of one site anew.
//
// # The method
//
//	learn a visit
//	    pages that it links to become known; those in the prefix are wanted at once, and so are its requisites
//	when all pages asked for were answered, or enough of them: an epoch
//	    anchors ← by the links of the pages that were inside
//	    blocks, F, T, σ, X ← by the links of all pages asked for and answered
//	    network ← seeds fed without bound, pages of the prefix softly; every page outside the prefix pays a toll to the sink;
//	        links inside a block carry the similarity of their URLs, links between blocks X, reverse as forward;
//	        all links of one block to one page together no more than Bundle links do
//	    inside ← the smallest source side of a minimum cut
//	    want the fullest half of the pages inside that were never asked for
//	    none and nothing open: want samples of blocks that share enough if they link back as much as they are linked to
//	    none: the Markov cluster of the site feeds its pages softly; once more
//	    none: the site is settled
//
// A page is wanted for itself only while it is inside the cut of what is known, so a site costs few fetches outside it:
// those of the probes, at most three a block, and of pages that the cut gave up.
//
// The prefix alone has perfect precision and poor recall on sites of several hosts; a whole host or domain has neither on
// hosts that many share. What separates the true second host from everything else is that it links back, measured by what
// both sides do elsewhere. The floating point in the shares is the same on every machine that rounds as IEEE 754 says; all
// sums, and the flow, are exact.
//
// # What holds
//
//  1. Equal events in equal order leave equal state: Learn, Drop and Stop decide; when Wants is called does not.
//  2. The boundary of a site is the same whatever other sites are surveyed with it.
//  3. As long as a site is not settled, something is open: a survey never waits for nothing.
//  4. The value of the flow equals that of the cut (Certificate).
//  5. Rules win: what a rule excludes is never wanted, what a rule includes always is.
//
// # Cost
//
// A known URL takes about 200 bytes with its share of directories and links, once for all sites, and 16 bytes for each site
// that knows it. An epoch is linear in the pages known to its site and their links, and its network holds only the blocks
// that capacities join to the prefix. Epochs come when the site has grown by a fixed part, or when nothing is open.
//
// Sources: Senellart, Website Identification, 2003; Flake, Tarjan and Tsioutsiouliklis, Graph Clustering and Minimum Cut
// Trees, Internet Mathematics 1(4), 2004. The shares, anchors and
// probes are our own; Evaluation measures them.
package sitemap
