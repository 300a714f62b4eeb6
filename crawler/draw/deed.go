package draw

import (
	"bytes"
	"net/http"
	"regexp"
	"slices"
	"strings"
)

// deeds are what changes something on a server, as words in addresses of requests and in attributes of
// what is pressed, by which scripts say what they do. Words that a visitor reads are in behave.js.
const deeds = `delete|trash|remove|destroy|erase|purge|log-?(?:out|off)|sign-?(?:out|off)|` +
	`unsubscribe|subscribe|` +
	`(?:up|down)?vote|buy|purchase|checkout|(?:place|submit|create)-?order|pay(?:ment)?|` +
	`add-?to-?(?:cart|basket)|(?:cart|basket)[^a-z]?add|unfollow|` +
	`deactivate|cancel|revoke|transfer|donate|rsvp|opt-?out|close-?account|invit(?:e|ation)s?[^a-z]accept`

var deed = regexp.MustCompile(`(?i)(?:^|[^a-z])(?:` + deeds + `)(?:$|[^a-z])`)

// humps are the places in names such as deleteItem where a word ends.
var humps = regexp.MustCompile(`([a-z])([A-Z])`)

// picture is the path of a picture, a font or a style sheet, which may be named for a deed and does none.
var picture = regexp.MustCompile(`(?i)^[^?]+\.(?:svgz?|png|jpe?g|webp|avif|ico|woff2?|css)(?:\?v=[\w.-]+)?$`)

// changes reports that an address says of itself that to ask for it changes something.
func changes(pathQuery string) bool {
	return !picture.MatchString(pathQuery) && deed.MatchString(humps.ReplaceAllString(pathQuery, "$1-$2"))
}

// order is how the body of a request names what is to be done, where one address serves for all.
var order = regexp.MustCompile(
	`(?i)\b(?:method|action|act|do|op|cmd|command|task|type|intent)"?\s*[=:]\s*"?([\w./:-]+)`)

// kind is a type of things of which a list is asked for, by a word that may be a deed elsewhere.
var kind = regexp.MustCompile(`(?i)^type\W+(?:votes?|payments?|purchase|transfer)$`)

// orders reports that a body says of itself that it changes something.
func orders(body []byte) bool {
	return slices.ContainsFunc(order.FindAllSubmatch(body, -1), func(m [][]byte) bool {
		return changes(string(m[1])) && !kind.Match(m[0])
	})
}

// query is a body of GraphQL that only reads (GraphQL specification, 2.3), unless a mutation is in it, too.
var query = regexp.MustCompile(`"query"\s*:\s*"(?:\s|\\n)*(?:query\b|\{)`)

// restrained says why a request is not made that something may have caused which was pressed on the
// page, "" where it may be: as long as nothing was pressed, the page itself makes it, as it does for
// each reader. Its posts of then may be made again.
func (s *sight) restrained(q *Request, header http.Header) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.hovers && strings.HasPrefix(header.Get("Sec-Purpose"), "prefetch") {
		return isAhead
	}
	post := q.Method == http.MethodPost
	to, _, _ := strings.Cut(string(q.URL), "?")
	mutates := post && bytes.Contains(bytes.ToLower(q.Body), []byte("mutation"))
	switch {
	case !s.pressed:
		if post {
			s.posts[to] = s.posts[to] || mutates
		}
		return ""
	case changes(q.URL.PathQuery()):
		return saysChange
	}
	before, made := s.posts[to]
	reads := query.Match(q.Body) && !mutates
	if post && !reads && (!made || mutates && !before || orders(q.Body)) {
		return mayChange
	}
	return ""
}

// press tells whether what is asked for from now on may come of something that was pressed.
func (s *sight) press(pressed bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.pressed = pressed
}

// hover tells whether the mouse is led over links, for which some pages load ahead where they lead.
func (s *sight) hover(over bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.hovers = over
}

// wasPressed reports that something was pressed.
func (s *sight) wasPressed() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.pressed
}
