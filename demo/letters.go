package demo

import (
	"regexp"
	"strings"

	"watershed/page"
)

// permalinks are addresses as pages write them: what WordPress makes of titles in other alphabets,
// with the digits of escapes in lower case, and escapes that mean something else when they are
// normalised, or are none.
var permalinks = []struct{ path, title string }{
	{"%d0%ba%d0%be%d0%bb%d0%be%d0%ba%d0%be%d0%bb/", "Колокол"},
	{"%e4%b8%ad%e6%96%87/%e9%90%98/", "鐘"},
	{"%d8%b1%d8%b3%d8%a7%d9%84%d8%a9/", "رسالة"},
	{"notes%2fbells/", "Notes and bells in one name"},
	{"notes/bells/", "Notes, then bells"},
	{"%u0431%u0435%u043b/", "Escaped by a script"},
	{"50%off/", "Half of it"},
	{"search?q=%d0%bb%d0%b0%d0%b4&p=100%", "A question"},
}

// letters is a blog whose addresses can be spelt in several ways. Two of its servers redirect to
// the spelling that they prefer.
func (b *builder) letters() {
	const www, lower, upper = "http://letters.blogs.example/", "http://lower.blogs.example/",
		"http://upper.blogs.example/"
	b.host(host{name: "letters.blogs.example", dated: true})
	b.host(host{name: "lower.blogs.example", spells: lowerEscapes})
	b.host(host{name: "upper.blogs.example", spells: upperEscapes})
	b.site("letters", www, lower, upper)
	home := b.letter(www, "Letters")
	for _, p := range permalinks {
		d := b.letter(www+p.path, p.title)
		file := "files/" + strings.NewReplacer("?", "-", "/", "-").Replace(p.path) + ".png"
		d.need(asImage, b.picture(www+file, 24, 24))
		home.link(to(d))
		d.link(to(home))
	}
	// Each writes what the other prefers, so that all that they link to is redirected.
	for _, x := range []struct {
		base  string
		spell func(string) string
	}{{lower, upperEscapes}, {upper, lowerEscapes}} {
		base := x.base
		away := b.letter(base, "Bells, "+base)
		home.link(to(away))
		d := b.letter(base+x.spell("%d0%b7%d0%b2%d0%be%d0%bd/"), "Звон, "+base)
		away.link(to(d), to(home))
		d.link(to(away))
		d.need(asImage, b.picture(base+x.spell("files/%d0%b7.png"), 24, 24))
	}
}

// letter is a page of the blog.
func (b *builder) letter(address, title string) *document {
	d := b.add(&document{url: must(address), spelt: spelt(address), site: "letters", title: title})
	d.paras = travel().paragraphs(random(b.seed, "text", string(d.url)), 2)
	return d
}

func spelt(address string) page.Spelling { return must(address).Spelling(address) }

var escaped = regexp.MustCompile(`%[0-9A-Fa-f]{2}`)

func lowerEscapes(s string) string { return escaped.ReplaceAllStringFunc(s, strings.ToLower) }

func upperEscapes(s string) string { return escaped.ReplaceAllStringFunc(s, strings.ToUpper) }
