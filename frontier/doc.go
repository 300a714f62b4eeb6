// Package frontier decides what is fetched next and when.
//
// It knows every URL of a run: known (seen, and wanted by nobody), pending (wanted), leased (being
// fetched), done, failed or skipped, the last two with a reason. Asking and marking are one call,
// Add, inside the transaction that commits the page on which the links were found, so that no
// two workers fetch one URL, and none is lost when the process dies.
//
//	lease            Lease: a host that has rested, its best URL
//	  resolve          Resolved, when the host's address is not known: one request at a time for
//	                   each address, too
//	  robots.txt       fetched first where it has to be: Postpone, and the host rests
//	  exchange
//	  commit         store.Update: PutVisit, Add (the links, and what the survey asks for), Finish
//
// A host rests after each request for a multiple of the time that the answer took, or for its
// Crawl-delay; a Crawl-delay above Options.Politeness.CrawlDelayMax is cut to
// that. 429, 503 and Retry-After slow the host, not the URL. An attempt
// without an answer lets the host rest twice as long as the one before and sends the URL to the end
// of its queue; after Options.Tries it is recorded as failed, and after Options.HostTries of them
// in a row all URLs of the host are: of a stranger that never answered already after Options.Tries,
// where nothing else is left (Options.Stranger).
//
// Among the hosts that have rested the one whose first URL has the greatest priority goes first.
// Priorities count by doublings (ranks), and a host that waits gains on the others: see
// schedule.go.
//
// The store holds all that is known of URLs and hosts. Memory holds, for each host that ever had a
// pending URL, its record and the first rows of its queue (some 2 KB), and beside them the URLs met
// last, and the leases. So ten million known URLs on 20,000 hosts take no more memory than one
// million.
package frontier
