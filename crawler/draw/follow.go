package draw

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"
)

// Bounds of the following of links in a page.
const (
	mostUntaken    = 3      // links in a row that no script takes, after which no other is pressed
	mostIdle       = 8      // links in a row on a host that bring nothing
	mostRemembered = 10_000 // links of a host
)

// followed is what a tab remembers of the links of a host that it has followed, over several pages.
type followed struct {
	seen map[string]bool
	// pays are ways without an address for which a server was asked when they were gone last: they may
	// bring something else on each page, as the variants of articles do
	pays map[string]bool
	here map[string]bool // ways that were gone on the page
	idle int             // in a row, that brought nothing
	late int             // pages in a row that asked for nothing after their scripts had waited
}

func newFollowed() followed {
	return followed{seen: map[string]bool{}, pays: map[string]bool{}}
}

// next is the first way that pays and was not gone on the page, or else the first that was never gone. Of
// those that say the same, which follow a line's end, none is gone where the first did not pay.
func (f *followed) next(ways []string) (way string, ok bool) {
	if len(f.seen) >= mostRemembered {
		return "", false
	}
	i := slices.IndexFunc(ways, func(way string) bool { return f.pays[way] && !f.here[way] })
	if i < 0 {
		i = slices.IndexFunc(ways, func(way string) bool {
			first, _, twin := strings.Cut(way, "\n")
			return !f.seen[way] && (!twin || f.pays[first])
		})
	}
	if i < 0 {
		return "", false
	}
	f.seen[ways[i]] = true
	return ways[i], true
}

// follow goes by the page's own router to the places that it links to, and back: a script that
// shows another page without loading it asks for other things than that page does by itself, which a
// reader of the archive who clicks will need. Each link is followed once on a host, and what has no
// address on each page for as long as that has servers asked. The page was read
// before; that its time is over, or its process ended, takes nothing away. Text and links that presses
// show on the page itself are read then.
func (v *view) follow(ctx context.Context) error {
	f := v.host
	v.renew()
	v.sight.press(true)
	cut := v.Cut
	untaken := 0
	f.here = map[string]bool{}
	for range v.opt.Follow {
		var ways []string
		err := v.run(ctx, "ways()", &ways)
		if untaken >= mostUntaken {
			ways = slices.DeleteFunc(ways, isLink)
		}
		way, ok := f.next(ways)
		if err == nil && !ok {
			break
		}
		f.here[way] = true
		before, made, taken, back := v.brought(), v.sight.made(), false, false
		if err == nil {
			taken, back, err = v.walkTo(ctx, way)
		}
		if errors.Is(err, errEnough) {
			v.Cut = cut
			break
		}
		if err != nil {
			return err
		}
		if taken {
			if f.idle++; v.brought() > before {
				f.idle = 0
			}
			f.pays[way] = !isLink(way) && v.sight.made() > made
		}
		if isLink(way) {
			if untaken++; taken {
				untaken = 0
			}
		}
		if !back || f.idle >= mostIdle {
			break
		}
	}
	var s shown
	if err := v.evaluate(ctx, "later()", &s); err != nil {
		return err
	}
	v.take(&s)
	if s.Text != "" {
		v.Text += "\n" + s.Text
	}
	if v.walk == nil {
		return nil
	}
	v.walk.add(&s)
	if err := v.evaluate(ctx, "read()", &s); err != nil {
		return err
	}
	v.walk.before = s.Text // as the last press has left the page
	return v.visit(ctx, &s)
}

// brought is how many requests and links of the page are known.
func (v *view) brought() int {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.sight.different() + len(v.links)
}

// isLink reports a way that is an address; others begin with a space.
func isLink(way string) bool { return !strings.HasPrefix(way, " ") }

// walkTo presses a link, waits for what that brings, and goes back. It reports whether a script took
// the press for itself, and whether the page is where it was.
func (v *view) walkTo(ctx context.Context, way string) (taken, back bool, err error) {
	var was, is struct {
		Taken       bool
		Here, Place string
	}
	if err := v.run(ctx, "walk("+quoted(way)+")", &was); err != nil || !was.Taken {
		return false, true, err
	}
	v.acted = time.Now()
	if err := v.quiet(ctx, v.opt.Still/2); err != nil {
		return true, false, err
	}
	if err := v.run(ctx, "back()", &is); err != nil {
		return true, false, err
	}
	if v.walk != nil {
		v.walk.meet(is.Place, true)
	}
	if is.Here == was.Here {
		return true, true, nil
	}
	if !strings.Contains(is.Here, "#") && !changes(is.Here) {
		v.leads(is.Here, byHistory, "")
	}
	v.acted = time.Now()
	if err := v.quiet(ctx, v.opt.Still/3); err != nil {
		return true, false, err
	}
	err = v.run(ctx, "at()", &is)
	return true, is.Here == was.Here, err
}
