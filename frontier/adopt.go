package frontier

import (
	"watershed/page"
	"watershed/store"
)

// Adopt makes the URL of a visit one that was fetched, in a store that is made anew from archives.
// It is called inside store.Update, behind PutVisit, while no frontier of the run is open. Totals
// are not kept: call Tx.Distrust, so that Open counts them.
func Adopt(tx *store.Tx, run store.Run, v *page.Visit, site uint32) error {
	key := v.URL.Key()
	before, found, err := tx.URL(run, key)
	if err != nil || found && before.URL != v.URL { // of two URLs with one key only the first is known
		return err
	}
	u := adopted(v, site)
	if reason, failed := retried[v.Status]; failed {
		u.State, u.Reason = store.Failed, reason
	}
	if l := v.Redirected(); l != nil && l.URL == v.URL {
		u.State, u.Reason = store.Failed, store.Loop
	}
	if v.Via != "" {
		u.Via = v.Via.Key()
	}
	if !found {
		return tx.SettleURL(run, key, &u, nil)
	}
	return tx.SettleURL(run, key, &u, &before)
}

// adopted is the record of the URL of a visit that was fetched.
func adopted(v *page.Visit, site uint32) store.URL {
	kind := kindOf(v.Hops)
	return store.URL{
		URL: v.URL, Spelled: v.Spelled, State: store.Done, Site: site, Hops: v.Hops, Depth: depth(v.Hops),
		Kind: kind, Part: kind.Requisite(),
		File:   (kind.Requisite() || v.File()) && !page.Redirects(v.Status),
		Status: v.Status, Visit: v.Seq,
	}
}

// kindOf is the kind of the link at the end of a discovery path, as far as its letter tells; 0 for
// a seed.
func kindOf(hops string) page.LinkKind {
	if hops == "" {
		return 0
	}
	for _, k := range []page.LinkKind{
		page.Navigation, page.Embed, page.Redirect, page.Sitemap, page.Form, page.Inferred,
	} {
		if k.Hop() == hops[len(hops)-1] {
			return k
		}
	}
	return 0
}
