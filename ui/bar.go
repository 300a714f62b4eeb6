package ui

import (
	"net/http"
	"net/url"
	"slices"
	"strings"

	"watershed/harvest"
	"watershed/page"
	"watershed/replica"
)

// deskPlace is a part of the desk that answers one question. Its views are reached by doors.
type deskPlace struct {
	Name  string
	Doors []door
}

// door leads to a view of a place.
type door struct {
	Name string
	To   string   // below the harvest's address
	Here []string // templates of the views behind it
}

// deskPlaces are the parts of the desk, in the order of its bar. Each view of a harvest lies in one, by
// test.
var deskPlaces = []deskPlace{
	{"Harvest", []door{
		{"How it runs", "", []string{"harvest"}},
		{"Control", "control", []string{"control"}},
		{"All runs", "changes", []string{"changes"}},
		{"Settings", "settings", []string{"settings"}},
		{"YAML", "yaml", []string{"draft"}},
	}},
	{"Site", []door{
		{"Where it ends", "sites", []string{"sites", "site"}},
		{"Why?", "explain", []string{"explain"}},
		{"Decisions", "decisions", []string{"decisions"}},
	}},
	{"Archive", []door{
		{"Pages", "captures", []string{"captures"}},
		{"Words", "search", []string{"search"}},
		{"Quality", "quality", []string{"quality"}},
	}},
	{"Left out", []door{{"Left out", "skipped", []string{"skipped"}}}},
	{"Copies", []door{{"Copies", "mirrors", []string{"mirrors", "compare"}}}},
}

// Places are the parts of the desk.
func (v *shown) Places() []deskPlace { return deskPlaces }

// In reports that the present view lies in a place.
func (v *shown) In(p deskPlace) bool { return slices.ContainsFunc(p.Doors, v.Behind) }

// Behind reports that the present view lies behind a door.
func (v *shown) Behind(d door) bool { return slices.Contains(d.Here, v.Here) }

// Doors are those of the present place where there is a choice.
func (v *shown) Doors() []door {
	if i := slices.IndexFunc(deskPlaces, v.In); v.Harvest != "" && i >= 0 && len(deskPlaces[i].Doors) > 1 {
		if doors := deskPlaces[i].Doors; i > 0 || v.Kept {
			return doors
		}
		return deskPlaces[i].Doors[:4] // what is of no folder has no YAML that is written here
	}
	return nil
}

// stands tells in few words how a run stands.
func (x *Status) stands() string {
	switch {
	case x == nil:
		return "not started"
	case x.Live && (x.Held || x.Paused):
		return "paused"
	case x.Live:
		return "running"
	case x.Ending != nil:
		return x.Ending.Ended.Says()
	}
	return "interrupted"
}

// standing is how the last run of a harvest stands, which may not have told anything yet.
func standing(h *Harvest, runs int, x *Status) string {
	switch {
	case x == nil && runs == 0 && actsOf(h, 0, nil).Starting:
		return "starting"
	case x == nil && runs > 0:
		return "started"
	case x == nil && h.Folder.Shared():
		return "harvested by a cluster"
	}
	return x.stands()
}

// matter is something of a harvest that needs a person.
type matter struct {
	Text string `json:"text"` // what it is, and what to do about it
	To   string `json:"to"`   // address of the view where that is done, below the desk's
}

// matters are what of a harvest needs a person: losses of the last run, a run that was interrupted,
// failed or waits, and copies to be decided.
func matters(h *Harvest, x *Status) []matter {
	list := []matter{}
	root := "/harvests/" + url.PathEscape(h.Name)
	add := func(text, view string) { list = append(list, matter{text, root + view}) }
	a := actsOf(h, 0, x)
	if k := h.kept; k != nil && k.Err != nil {
		x := faultsOf(k.Err)[0]
		add("The YAML is not in order. "+plain(strings.TrimSpace(x.Where+" "+x.Text), longText), "/yaml")
	} else if a.Failed {
		add("The last start failed: "+plain(a.Said[len(a.Said)-1], longText), "")
	}
	if x != nil {
		switch {
		case x.Live && x.Paused:
			add("Paused: the disk is full. Free some space, and the run goes on", "")
		case x.Live && x.Held:
			add("Paused by hand", "/control")
		case x.interrupted() && (h.kept == nil || h.kept.Start == nil || h.kept.Start.Ended):
			by := "watershed harvest"
			if h.kept != nil {
				by = "Continue"
			}
			add("The run was interrupted: "+by+" goes on with it", "")
		}
		if x.Ending != nil && x.Ending.Losses.Any() {
			add("Lost: "+x.Ending.Losses.String(), "#lost")
		} else if x.failed() && !a.Failed {
			add("The last run failed: "+plain(x.Ending.Cause, longText), "")
		}
	}
	t, err := harvest.ReadTable(h.Folder.Replicas())
	if err != nil {
		add("The table of copies cannot be read: "+plain(err.Error(), shortText), "/mirrors")
		return list
	}
	proposed := 0
	for _, e := range t.All() {
		if e.State == replica.Proposed {
			proposed++
		}
	}
	if proposed > 0 {
		add(plural(proposed, "copy", "copies")+" proposed: agree or not", "/mirrors?state=proposed")
	}
	return list
}

// plural is a number with its noun.
func plural(n any, one, more string) string {
	text := count(n)
	if text == "1" {
		return text + " " + one
	}
	return text + " " + more
}

// find leads from the box of the bar to the view that answers: an address is explained, words are
// looked for in the captures.
func (s *Server) find(w http.ResponseWriter, q *query) error {
	text := strings.TrimSpace(q.value("q"))
	view, values := "search", url.Values{"q": {text}}
	if u, is := address(text); is {
		view, values = "explain", url.Values{"url": {string(u)}}
	}
	if run := q.value("run"); run != "" {
		values.Set("run", run)
	}
	to := "/harvests/" + url.PathEscape(q.harvest.Name) + "/" + view + "?" + values.Encode()
	http.Redirect(w, q.request, to, http.StatusSeeOther)
	return nil
}

// address reads a text as the address of a page, also one that has no scheme.
func address(text string) (page.URL, bool) {
	if strings.ContainsAny(text, " \t\"") {
		return "", false
	}
	if !strings.Contains(text, "://") {
		host, _, path := strings.Cut(text, "/")
		if !path && strings.Count(host, ".") == 0 || strings.Trim(host, ".") != host || host == "" {
			return "", false
		}
		text = "http://" + text
	}
	u, err := page.ParseURL(text)
	return u, err == nil
}
