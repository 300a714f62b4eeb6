package ui

import (
	"cmp"
	"fmt"
	"html/template"
	"io"
	"net/http"
	"regexp"
	"strings"
)

// Measures of a picture to be printed, in the proportions of the paper A3 laid across.
const (
	posterWidth, posterHeight = 1440.0, 1018.0
	posterMargin              = 24.0
	posterHead                = 64.0 // of the title and the line below it
	posterFoot                = 28.0 // of the legend
)

// posterPolicy lets the picture have its own rules of style: by those of a page of the desk, it would
// be black.
const posterPolicy = "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'; base-uri 'none'"

// posterOf serves the picture of a site as a file of its own, light and without links.
func posterOf(s *Server) http.HandlerFunc {
	return s.served(func(w http.ResponseWriter, q *query) error {
		model, err := siteModel(s, q)
		if err != nil {
			return err
		}
		text, err := model.(SiteModel).poster(q.harvest.Name)
		if err != nil {
			return err
		}
		w.Header().Set("Content-Type", "image/svg+xml")
		w.Header().Set("Content-Security-Policy", posterPolicy)
		w.Header().Set("Content-Disposition", `inline; filename="site.svg"`)
		_, _ = io.WriteString(w, text) // who asked is gone if this fails
		return nil
	})
}

func (m SiteModel) poster(harvest string) (string, error) {
	p := m.picture()
	p.width = posterWidth - 2*posterMargin
	p.land = posterHeight - 2*posterMargin - posterHead - posterFoot - strait - shoreHeight
	height, err := p.draw()
	if err != nil {
		return "", err
	}
	style, err := posterStyle()
	if err != nil {
		return "", err
	}
	var b strings.Builder
	text := func(class string, x, y float64, text string) {
		fmt.Fprintf(&b, `<text class="%s" x="%.1f" y="%.1f" unicode-bidi="isolate">%s</text>`, class, x, y,
			template.HTMLEscapeString(plain(text, longText)))
	}
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" class="treemap" width="420mm" height="297mm" `+
		`viewBox="0 0 %g %g"><style>%s</style><rect class="head" width="100%%" height="100%%"/>`,
		posterWidth, posterHeight, style)
	title := m.Title
	title = cmp.Or(title, m.Site)
	text("title", posterMargin, posterMargin+24, title)
	found := "boundary found"
	if !m.Settled {
		found = "boundary not found"
	}
	text("line", posterMargin, posterMargin+48, fmt.Sprintf("%s, %s; %s. Site %s, harvest %s, %s.",
		plural(m.Here(), "page", "pages"), plural(m.Requisites, "required file", "required files"), found,
		m.Site, harvest, m.Run))
	fmt.Fprintf(&b, `<g transform="translate(%g %g)">%s</g>`, posterMargin, posterMargin+posterHead,
		p.b.String())
	b.WriteString("<defs>")
	x, y := posterMargin, posterMargin+posterHead+height+posterFoot-10
	var keys strings.Builder
	for _, k := range p.keys() {
		if k.pattern != "" {
			b.WriteString(k.definition())
		}
		p.b.Reset()
		p.kind(k, rect{x, y - 12, 24, 16})
		keys.WriteString(p.b.String())
		fmt.Fprintf(&keys, `<text class="line" x="%.1f" y="%.1f">%s</text>`, x+32, y+1, k.text)
		x += 56 + letterWidth*float64(len(k.text))
	}
	return b.String() + "</defs>" + keys.String() + "</svg>", nil
}

// colour is one of the sheet's variables.
var colour = regexp.MustCompile(`--([a-z]+): (#[0-9a-f]+);`)

// posterStyle are the rules of the desk's sheet for the picture, in its light colours, without
// variables, which programs that print do not know.
func posterStyle() (string, error) {
	sheet, err := staticFiles.ReadFile("static/desk.css")
	if err != nil {
		return "", err
	}
	var values []string
	seen := map[string]bool{}
	for _, m := range colour.FindAllStringSubmatch(string(sheet), -1) {
		if !seen[m[1]] { // the first are those of the light colours
			seen[m[1]] = true
			values = append(values, "var(--"+m[1]+")", m[2])
		}
	}
	rules := []string{"text { font-family: system-ui, sans-serif; }"}
	for line := range strings.Lines(string(sheet)) {
		for _, begin := range []string{".treemap ", ".inside ", ".pinned ", ".same ", "pattern "} {
			if strings.HasPrefix(line, begin) {
				rules = append(rules, strings.TrimSpace(line))
			}
		}
	}
	return strings.NewReplacer(values...).Replace(strings.Join(rules, "\n")), nil
}
