// Package robots keeps the Robots Exclusion Protocol (RFC 9309): what a site's robots.txt lets one
// crawler fetch.
//
// Rules are the lines of a robots.txt that concern one crawler; Parse reads them from any bytes. A
// Fetching fetches one robots.txt step by step: it names a URL, is shown the exchange with it, and
// goes on until there is a File. A File is the rules with the time until which they hold. A Cache
// keeps Files by origin and answers for a URL.
//
//	switch a := cache.Ask(u, now); a.State {
//	case robots.Unknown: // nothing is known: fetch it, under the lease of the host
//		f := cache.Start(u)
//		for next, ok := f.URL(); ok; next, ok = f.URL() {
//			x := worker.Fetch(ctx, fetch.Request{URL: next})
//			f.Step(x, now)   // archive x as well
//		}
//		cache.Put(f.File())
//	case robots.Waiting: // the site cannot be reached: nothing may be fetched before a.Until
//	case robots.Known:   // a.Verdict says yes or no, and by which line
//	}
//
// The package does no input or output and has no clock.
package robots
