package sitemap

import "watershed/graph"

// place is a page as one site sees it.
type place struct {
	id    graph.ID
	flags flags
	why   Why // it was asked for, the first time
	pin   pin
}

type flags uint16

const (
	isVertex   flags = 1 << iota // a page of the graph, not only a requisite
	isSeed                       // or characteristic: fed without bound
	inPrefix                     // inside the predicate of the mode, or included by a rule
	isExcluded                   // by a rule
	isAsked
	isAnswered
	isInside    // on the source side of the last cut
	isRequisite // of a page of the site
	isSitemap   // of a host of the site
	isPartDone  // answered, as a requisite or sitemap
	partsAsked  // its requisites were asked for
	inCluster   // of the site's Markov cluster
	isQueued    // wanted from the crawler, for whatever reason
	isStray     // in the prefix by its URL, which says nothing, and not by its cluster
	isMember    // counted among those that belong
	isOwned     // a document outside that the site alone leads to
)

func (p *place) is(f flags) bool { return p.flags&f != 0 }
