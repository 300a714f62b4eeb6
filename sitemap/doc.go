// Package sitemap finds out where a logical website ends.
//
// A Survey learns visits, one after the other, and says which pages it wants next. It is a fold: no
// input or output, no clock, no goroutine. When it wants no more pages, Map tells which pages
// belong to each site, which requisites they need, where the boundary runs, which pages were left
// out, and why.
//
// # Words
//
// The glossary (docs/glossary.md) has most of them. Besides:
//
//   - The prefix is the pages below the directories of the seeds, without foreign wards, and the
//     pages that rules include. It is inside, but for pages that a pin or a rule takes out.
//   - A ward is foreign if it is not tied to the core and the prefix holds the sites of several
//     parties. Then it is a block of its own.
//   - The capacity X of a link between blocks is near 1 where the mutual share σ or the kinship κ is
//     well above Midpoint, near 0 where both are well below.
//   - A page is known once a page that was asked for links to it. It is asked for once, and answered
//     when it was visited or dropped. A block is probed once a few of its pages were answered.
//   - A copy is a page with the payload of another of its host, whose address differs in letter case
//     or encoding alone. A page stands for all its copies.
//
// # The method
//
//	learn a visit
//	    pages that it links to become known; those in the core and in wards that are tied to it
//	        are wanted at once, and so are its requisites
//	when all pages asked for were answered, or enough of them: an epoch
//	    wards ← by the pages that core and wards link to in each other; want a sample of those
//	        that are not tied, then more
//	    anchors ← by the links of the pages that were inside
//	    blocks, F, T, σ, κ, X ← by the links of all pages asked for and answered
//	    network ← seeds fed without bound, pages of the prefix softly; every page outside the
//	        prefix pays a toll to the sink;
//	        links inside a block carry the similarity of their URLs, links between blocks X,
//	            both ways;
//	        all links of one block to one page together no more than Bundle links do
//	    inside ← the smallest source side of a minimum cut
//	    want half of the pages inside that were never asked for, those first that most capacity
//	        binds to the others inside
//	    if there are none, and nothing is open: want samples of the blocks that would share enough
//	        if they linked back as much as they are linked to
//	    if the prefix is a host without directories: its Markov clusters that do not lean on the
//	        seeds' leave the prefix; want the next wave of the pages that the others lead to
//	    if there are none: the Markov cluster of the site feeds its pages softly; an epoch once
//	        more
//	    if there are none: want some of the pages listed in blocks that have pages inside, more
//	        where half of them came in; and the pages that tell whose the documents are to
//	        which the site leads; then these documents
//	    if there are none: the site is settled; want its context
//
// Options.Preset chooses the process of the paper instead: superset, clusters, on-line flow. It
// also finds the seed of a site of which only a keyword is known.
//
// A page is wanted for itself only while it is inside the cut of what is known, so a site costs few
// fetches outside it: those of the probes, three a block (one of a silent stranger's), and those of
// pages that the cut gave up later.
//
// The prefix alone has perfect precision and poor recall on sites of several hosts; a whole host or
// domain has neither on hosts that many share. The true second host differs from everything else in
// that it links back, measured by what both sides do elsewhere. The floating point in the shares is
// the same on every machine that rounds as IEEE 754 says; all sums, and the flow, are exact.
//
// # The rooms
//
// A link goes through them in this order, and comes back to none. Of a cut the book is told which
// pages are inside, and the anchors, for the next one.
//
//   - The knowledge: the web has what visits tell, once for all sites. A book has what one site
//     knows of it: scope, by what addresses and instructions say; places, with what came of each;
//     folds, the copies among them.
//   - The cut: a settlement is computed from a book alone: linkage, the links as places; blocks,
//     shares and the evidence of the mechanisms; wiring, the network, whose cut is certified. A
//     drawing makes the Map of it.
//   - The questions: a boundary asks by the cut: for pages inside, for probes, and by its
//     mechanisms (wards, crowds, flat hosts, clusters, lists, documents); files has its
//     requisites and lists, surroundings its context.
//
// A mechanism is one value with three methods (evidence, ask, explain). The method without it is the
// list of the others.
//
// # Invariants
//
//  1. Equal events in equal order leave equal state. The events are Learn, Miss and
//     Drop; the moment at which Wants is called does not matter. With a negative Options.Growth the
//     order of the answers does not matter either.
//  2. The boundary of a site is the same whatever other sites are surveyed with it, for the same
//     order of answers.
//  3. As long as a site is not settled, a page is open: a survey never waits without a page to wait
//     for.
//  4. The value of the flow equals that of the cut (Certificate).
//  5. Rules win: a page that a rule excludes is never wanted, a page that a rule includes always
//     is. Pins win, too, except over Exclude.
//  6. The scales of a map are nested, and each is the smallest source side of a minimum cut of the
//     same frozen network.
//  7. The boundary is a pure function of the pages that were answered, their links, their copies,
//     the anchors, the foreign wards, the cluster, the marked documents and the pins: the steps in
//     which it was computed do not matter.
//  8. The boundary is the same with and without context.
//
// # Cost
//
// A known URL takes the bytes of its name and about 45, with its share of links, once for all
// sites, and 16 to 30 bytes for each site that knows it. A visit costs its links and the sites that
// know its page, whatever others are surveyed.
//
// An epoch takes in what was learned since the last one: links, counts between blocks, the network,
// and the flow in it are kept, and only what differs is set. An epoch then costs a few passes over
// the site's places and links, a nanosecond or two each. For that a site keeps about 100 bytes a
// link, bounded by a million links over all sites: the sites whose epochs lie back farthest are
// computed from nothing when it is their turn. A map, too, is computed from nothing; both ways tell
// the same. Epochs come when the site has grown by a fixed part, or when nothing is open; the
// Markov cluster likewise.
//
// docs/boundary-measured.md has the figures of the method, of each part of it and of its cost, with
// the commands.
//
// Sources: Senellart, Website Identification, 2003; Flake, Tarjan and Tsioutsiouliklis, Graph
// Clustering and Minimum Cut Trees, Internet Mathematics 1(4), 2004. The shares, anchors and probes
// are our own; package judge measures them.
package sitemap
