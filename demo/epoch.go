package demo

import (
	"fmt"

	"watershed/page"
)

// change is what became of a page in an epoch.
type change struct {
	URL   page.URL // of a page that moved, the former one
	Epoch int
	Kind  changeKind
	To    page.URL // where a page that moved is now; the old URL redirects
}

// changeKind is edited, moved, gone or new.
type changeKind string

const (
	changeEdited changeKind = "edited" // a sentence more
	changeMoved  changeKind = "moved"  // within its directory
	changeGone   changeKind = "gone"   // 404 or 410
	changeNew    changeKind = "new"    // linked from a page beside it
)

// Of each hundred pages that may change, these do so in an epoch; a page whose links change is not
// counted.
const (
	editedPercent = 8
	movedPercent  = 3
	gonePercent   = 3
	newPercent    = 3
)

// age changes the pages of all trees, one epoch after the other.
func (b *builder) age(epochs int) {
	for e := 1; e <= epochs; e++ {
		for _, d := range append([]*document(nil), b.docs...) {
			if d.leaf {
				b.change(d, e)
			}
		}
		b.relinked(e)
	}
}

// relinked dates the pages whose links to pages that moved were put right, and the sitemaps that
// tell when pages changed.
func (b *builder) relinked(epoch int) {
	movedNow := map[*document]bool{}
	for _, d := range b.docs {
		if d.form == moved && d.changed == epoch {
			movedNow[d.to] = true
		}
	}
	for _, d := range b.docs {
		for _, l := range d.links {
			if movedNow[l.to] {
				d.changed = epoch
			}
		}
	}
	for _, d := range b.docs {
		for _, l := range d.links {
			if d.form == siteMap && l.to != nil && l.to.changed == epoch {
				d.changed = epoch
			}
		}
	}
}

func (b *builder) change(d *document, epoch int) {
	r := random(b.seed, "epoch", fmt.Sprint(epoch), string(d.url))
	c := change{URL: d.url, Epoch: epoch}
	switch n := r.IntN(100); {
	case n < editedPercent:
		c.Kind = changeEdited
		d.changed = epoch
		d.paras[0] += " " + d.tree.topic.sentence(r)
	case n < editedPercent+movedPercent:
		c.Kind, c.To = changeMoved, page.URL(fmt.Sprintf("%smoved-%d-%s", d.url.Directory(), epoch,
			d.url[len(d.url.Directory()):]))
		d.url, d.changed = c.To, epoch
		old := b.redirect(string(c.URL), 301, d)
		old.site, old.changed = d.site, epoch
	case n < editedPercent+movedPercent+gonePercent:
		c.Kind = changeGone
		d.leaf, d.status = false, pick(r, []int{404, 410})
	case n < editedPercent+movedPercent+gonePercent+newPercent:
		c.Kind = changeNew
		title := d.tree.topic.heading(r)
		c.URL = page.URL(fmt.Sprintf("%s%s-%d%s", d.url.Directory(), slug(title), epoch, d.tree.ext))
		x := b.compose(d.tree, c.URL, title, 2)
		x.leaf, x.changed = true, epoch
		x.link(to(d))
		b.furnish(d.tree, x)
		d.link(to(x))
		d.changed = epoch
	default:
		return
	}
	b.changes = append(b.changes, c)
}
