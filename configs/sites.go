package configs

import (
	"fmt"
	"strings"

	"watershed/page"
)

// sites checks what each site says and that no two of them collide.
func (c *checker) sites() {
	if len(c.h.Sites) == 0 && !c.failed("sites") {
		c.at("sites", "at least one site with a name and a seed",
			"the harvest has no sites: sites is required")
	}
	names := map[string]string{}
	for i := range c.h.Sites {
		s, key := &c.h.Sites[i], fmt.Sprintf("sites[%d]", i)
		c.site(key, s)
		if s.Name == "" {
			continue
		}
		fold := strings.ToLower(s.Name)
		if first, ok := names[fold]; ok {
			c.at(key+".name", "the first one is at "+c.place(first+".name").String(),
				"two sites are named %q", s.Name)
			continue
		}
		names[fold] = key
	}
	c.logins()
}

// maxName bounds a site's name, in bytes: it becomes part of records and file names.
const maxName = 200

func (c *checker) site(key string, s *Site) {
	if s.List != "" {
		return // told where the list is read
	}
	switch {
	case c.failed(key + ".name"):
	case strings.TrimSpace(s.Name) == "":
		c.at(key, "for example name: Gemo", "%s.name is required", key)
	case len(s.Name) > maxName:
		c.at(key+".name", "", "%s.name is longer than %d bytes", key, maxName)
	default:
		c.header(key+".name", s.Name)
	}
	byKeyword := s.Boundary == BoundaryLogical && s.Keyword != "" && len(s.Superset) > 0
	if len(s.Seeds) == 0 && !byKeyword && !c.failed(key+".seeds") {
		c.at(key, "for example seeds: [https://www.example.org/]; or name a list: of sites; or a keyword "+
			"and a superset to find the site in", "%s has no seed: seeds is required", key)
	}
	c.twice(key+".superset", s.Superset)
	c.twice(key+".seeds", s.Seeds)
	c.atLeast(key+".limits.pages", s.Limits.Pages, 0)
	c.atLeast(key+".limits.files", s.Limits.Files, 0)
	c.atLeast(key+".limits.depth", int64(s.Limits.Depth), 0)
	c.conflict(key, s)
	c.between(key+".extra_hops", float64(s.ExtraHops), 0, 10)
	c.links(key, s)
	c.login(key, s)
}

// links checks the rules for links.
func (c *checker) links(key string, s *Site) {
	at := map[string]LinkDo{}
	for i, r := range s.Links {
		item := fmt.Sprintf("%s.links[%d]", key, i)
		if r.From.Kind == 0 && !c.failed(item+".from") {
			c.at(item, "for example from: prefix:https://www.example.org/news/",
				"%s.from is required: it says on which pages the links stand", item)
		}
		if r.Do == "" && !c.failed(item+".do") {
			c.at(item, "do: take has their targets captured as context, do: leave has them not followed",
				"%s.do is required", item)
		}
		which := r.From.String() + " " + r.To.String()
		if before := at[which]; before != "" && before != r.Do {
			c.at(item, "", "%s: the same links are both taken and left", item)
		}
		at[which] = r.Do
	}
}

// twice tells of a URL that stands in a list a second time.
func (c *checker) twice(key string, urls []page.URL) {
	seen := map[page.URL]bool{}
	for i, u := range urls {
		if seen[u] && u != "" {
			c.at(fmt.Sprintf("%s[%d]", key, i), "", "%s: %s is there twice", key, u)
		}
		seen[u] = true
	}
}

// conflict tells of rules under include that take nothing in, because what a rule under exclude
// keeps out has all of it.
func (c *checker) conflict(key string, s *Site) {
	for i, in := range s.Include {
		for k, out := range s.Exclude {
			if out.Covers(in) {
				c.at(fmt.Sprintf("%s.include[%d]", key, i), "exclude wins over include: leave the rule "+
					"out, or exclude less, as by naming the places that are not meant in place of all "+
					"around them",
					"%s: include takes nothing in by %s, since %s keeps all of that out, at %s", key, in, out,
					c.place(fmt.Sprintf("%s.exclude[%d]", key, k)))
				break
			}
		}
	}
}
