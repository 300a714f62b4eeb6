package harvest

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"watershed/harvest/control"
	"watershed/harvest/decision"
	"watershed/internal/console"
	"watershed/sitemap"
)

// settle makes the run agree with the present decisions, and tells the changes. It may be repeated:
// a decision that was obeyed before changes nothing.
func (c *clerk) settle() ([]control.Entry, error) {
	from, to := c.settled, c.decided
	put, withdrawn := decision.Difference(from, to)
	if len(put)+len(withdrawn) == 0 {
		return nil, nil
	}
	effects := map[string]string{} // by subject
	for i := range withdrawn {
		if err := c.readmit(&withdrawn[i], to, effects); err != nil {
			return nil, err
		}
	}
	for i := range put {
		if err := c.exclude(&put[i], effects); err != nil {
			return nil, err
		}
	}
	moved, err := c.repin(from, to)
	if err != nil {
		return nil, err
	}
	done := c.entries(put, withdrawn)
	for i := range done {
		if effects[done[i].What] != "" && moved != "" {
			done[i].Effect = effects[done[i].What] + ", " + moved
		} else {
			done[i].Effect = effects[done[i].What] + moved
		}
		if err := c.note(&done[i]); err != nil {
			return done, err
		}
	}
	c.settled = to
	return done, writeDecisions(c.disk(), c.run.Decisions(), to)
}

// exclude carries out a decision that excludes.
func (c *clerk) exclude(d *decision.Decision, effects map[string]string) error {
	if d.Do != decision.Exclude {
		return nil
	}
	sites := c.sitesOf(d.Site)
	n, err := c.crawl.Exclude(d.Rule, sites, d.Site == "", d.Who())
	if n > 0 {
		effects[d.Subject()] = fmt.Sprintf("%d URLs left the queue", n)
	}
	return err
}

// readmit takes an exclusion back, but not for sites from which another decision or their YAML
// excludes the same pages.
func (c *clerk) readmit(d *decision.Decision, to *decision.List, effects map[string]string) error {
	if d.Do != decision.Exclude {
		return nil
	}
	sites := slices.DeleteFunc(c.sitesOf(d.Site), func(name string) bool {
		i, _ := c.siteOf(name)
		return slices.ContainsFunc(c.plan.Sites[i].Exclude, d.Rule.Equal) ||
			slices.ContainsFunc(to.Of(name).Exclude, d.Rule.Equal)
	})
	n, err := c.crawl.Readmit(d.Rule, sites)
	if n > 0 {
		effects[d.Subject()] = fmt.Sprintf("%d URLs are wanted again", n)
	}
	return err
}

// repin settles pins and scales, and tells how the sites changed by that.
func (c *clerk) repin(from, to *decision.List) (moved string, err error) {
	var parts []string
	var others int64
	err = c.crawl.Decide(func(s *sitemap.Survey) error {
		for _, site := range c.plan.Sites {
			before, _ := s.Progress(site.Name) // the survey has it
			if err := c.rule(s, site.Name, from.Of(site.Name), to.Of(site.Name)); err != nil {
				return err
			}
			after, _ := s.Progress(site.Name)
			if moved := before.Inside != after.Inside; moved && len(parts) == mostMoved {
				others++
			} else if moved {
				parts = append(parts, fmt.Sprintf("%d -> %d pages of site %s", before.Inside,
					after.Inside, site.Name))
			}
		}
		return nil
	})
	if others > 0 {
		parts = append(parts, console.Plural(others, "further site", "further sites"))
	}
	return strings.Join(parts, ", "), err
}

// mostMoved is how many sites that a decision changes its entry names.
const mostMoved = 100

// sitesOf are the names of the sites that a decision is on.
func (r *rulings) sitesOf(site string) (names []string) {
	for _, s := range r.plan.Sites {
		if site == "" || site == s.Name {
			names = append(names, s.Name)
		}
	}
	return names
}

// entries tells what was put and withdrawn, a line for each subject.
func (r *rulings) entries(put, withdrawn []decision.Decision) (list []control.Entry) {
	entry := func(d *decision.Decision) control.Entry {
		return control.Entry{Time: time.Now(), By: d.By, Do: d.Do, What: d.Subject(), Note: d.Note}
	}
	for i := range withdrawn {
		d := &withdrawn[i]
		if slices.ContainsFunc(put, func(x decision.Decision) bool {
			return x.Subject() == d.Subject() && x.Pins() == d.Pins()
		}) {
			continue // replaced
		}
		e := entry(d)
		e.Do, e.Old, e.Note = "withdraw", d.Value(), ""
		for _, w := range slices.Backward(r.decided.Withdrawn) {
			if w.Equal(d) {
				e.By, e.Note = w.End.By, w.End.Note
				break
			}
		}
		list = append(list, e)
	}
	for i := range put {
		d := &put[i]
		e := entry(d)
		e.New = d.Value()
		for _, w := range withdrawn {
			if w.Subject() == d.Subject() && w.Pins() == d.Pins() {
				e.Old = w.Value()
			}
		}
		list = append(list, e)
	}
	return list
}
