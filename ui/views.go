package ui

import (
	"bytes"
	"encoding/json"
	"fmt"
	"html/template"
	"net/http"
	"net/url"
	"path"
	"strconv"
	"strings"

	"watershed/harvest"
)

// apiRoot begins the addresses of the JSON API.
const apiRoot = "/api/v1"

// view is a page of the desk and its twin in the API.
type view struct {
	page, api string // patterns of http.ServeMux
	template  string
	model     func(*Server, *query) (any, error)
}

// views are all of them. docs/formats/openapi.json tells the same, by test.
var views = []view{
	{"/{$}", apiRoot + "/harvests", "home", homeModel},
	twin("/machines", "machines", machinesModel),
	twin("/harvests/{harvest}", "harvest", harvestModel),
	{"/harvests/{harvest}/control", apiRoot + "/harvests/{harvest}/orders", "control", controlModel},
	twin("/harvests/{harvest}/decisions", "decisions", decisionsModel),
	twin("/harvests/{harvest}/sites", "sites", sitesModel),
	twin("/harvests/{harvest}/sites/{site}", "site", siteModel),
	twin("/harvests/{harvest}/settings", "settings", settingsModel),
	twin("/harvests/{harvest}/explain", "explain", explainModel),
	twin("/harvests/{harvest}/skipped", "skipped", skippedModel),
	twin("/harvests/{harvest}/mirrors", "mirrors", mirrorsModel),
	twin("/harvests/{harvest}/changes", "changes", changesModel),
	twin("/harvests/{harvest}/captures", "captures", capturesModel),
	twin("/harvests/{harvest}/quality", "quality", qualityModel),
	twin("/harvests/{harvest}/search", "search", searchModel),
	twin("/harvests/{harvest}/mirrors/compare", "compare", compareModel),
}

// twin is a view with the same path in the API.
func twin(page, template string, model func(*Server, *query) (any, error)) view {
	return view{page, apiRoot + page, template, model}
}

// query is what a view is asked: the harvest and run, found, and the values of the address.
type query struct {
	request *http.Request
	harvest *Harvest    // nil for the list of harvests
	runs    []string    // names, in order
	run     harvest.Run // "" where the harvest has none yet
	watch   *watch      // nil where nothing was asked that a run under way may change
}

// value is that of a name in the address's query.
func (q *query) value(name string) string { return q.request.URL.Query().Get(name) }

// maxPage bounds the page numbers of lists.
const maxPage = 1 << 30

// page is the number of the page of a list, from 1.
func (q *query) page() (int, error) {
	text := q.value("page")
	if text == "" {
		return 1, nil
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 || n > maxPage {
		return 0, badRequest("page is a number from 1 on")
	}
	return n, nil
}

// query finds the harvest and the run that a request names.
func (s *Server) query(r *http.Request) (*query, error) {
	q := &query{request: r}
	name := r.PathValue("harvest")
	if name == "" {
		return q, nil
	}
	h, err := s.harvestNamed(name)
	if err != nil {
		return nil, err
	}
	q.harvest = h
	runs, err := q.harvest.Folder.Runs()
	if err != nil {
		return nil, err
	}
	asked := q.value("run")
	for _, run := range runs {
		q.runs = append(q.runs, run.Name())
		if asked == "" || asked == run.Name() {
			q.run = run
		}
	}
	if asked != "" && q.run == "" {
		return nil, notFound("The harvest has no such run.")
	}
	return q, nil
}

// need is the run, or an error that says that the harvest has none.
func (q *query) need() (harvest.Run, error) {
	switch {
	case q.run == "" && q.harvest.kept != nil:
		return "", notFound("The harvest has not been started yet. Home has a button that starts it, or " +
			"says what is in the way.")
	case q.run == "":
		return "", notFound("The harvest has not been started yet: watershed harvest starts it.")
	}
	return q.run, nil
}

// shown is what every template gets.
type shown struct {
	Title   string
	Here    string // template
	Harvest string // name, "" outside of one
	Root    string // address of the harvest
	Run     string
	Runs    []string
	State   string // how the run stands, in few words
	Leave   string // token of the session
	Form    string // the same, if the caller may decide
	Steers  string // the same, if the caller may begin and steer runs
	Who     string // name of the caller's account
	Begins  bool   // harvests can be begun
	Shares  bool   // there is a cluster
	Kept    bool   // the harvest is of the desk's folder
	Watch   *watch // nil where the page stays as it is
	Model   any
	query   url.Values
	path    string
}

// With is the present address with values of its query changed: name, value, name, value; "" takes
// one away. The page number goes unless it is among them.
func (v *shown) With(pairs ...any) (string, error) {
	if len(pairs)%2 != 0 {
		return "", fmt.Errorf("With: %d values", len(pairs))
	}
	q := url.Values{}
	for name, list := range v.query {
		if name != "page" {
			q[name] = list
		}
	}
	for i := 0; i < len(pairs); i += 2 {
		name, value := fmt.Sprint(pairs[i]), fmt.Sprint(pairs[i+1])
		if value == "" {
			q.Del(name)
		} else {
			q.Set(name, value)
		}
	}
	if len(q) == 0 {
		return v.path, nil
	}
	return v.path + "?" + q.Encode(), nil
}

// To is the address of another view of the harvest, with the run that is looked at, and values of
// its query.
func (v *shown) To(view string, pairs ...any) (string, error) {
	w := shown{path: v.Root, query: url.Values{}}
	if view != "" {
		w.path += "/" + view
	}
	if len(v.Runs) > 0 && v.Run != v.Runs[len(v.Runs)-1] {
		w.query.Set("run", v.Run)
	}
	return w.With(pairs...)
}

// Address is the present address.
func (v *shown) Address() string {
	if len(v.query) == 0 {
		return v.path
	}
	return v.path + "?" + v.query.Encode()
}

// Live reports that what is shown is of a run that goes on.
func (v *shown) Live() bool { return v.Watch != nil && v.Watch.Live }

// Below is the present address below the harvest's.
func (v *shown) Below() string { return strings.TrimPrefix(v.Address(), v.Root+"/") }

// Latest reports that no run is looked at that another one followed.
func (v *shown) Latest() bool { return len(v.Runs) == 0 || v.Run == v.Runs[len(v.Runs)-1] }

// Value is what the present address has for a name in its query.
func (v *shown) Value(name string) string { return v.query.Get(name) }

func readTemplates() (map[string]*template.Template, error) {
	layout, err := template.New("layout.html").Funcs(functions).ParseFS(templateFiles,
		"templates/layout.html")
	if err != nil {
		return nil, fmt.Errorf("templates of the desk: %w", err)
	}
	files, err := templateFiles.ReadDir("templates")
	if err != nil {
		return nil, fmt.Errorf("templates of the desk: %w", err)
	}
	pages := map[string]*template.Template{}
	for _, f := range files {
		if f.Name() == "layout.html" {
			continue
		}
		t, err := layout.Clone()
		if err == nil {
			t, err = t.ParseFS(templateFiles, "templates/"+f.Name())
		}
		if err != nil {
			return nil, fmt.Errorf("template %s: %w", f.Name(), err)
		}
		pages[strings.TrimSuffix(f.Name(), ".html")] = t
	}
	return pages, nil
}

// shows answers with the page of a view.
func (s *Server) shows(v view) http.HandlerFunc {
	return s.served(func(w http.ResponseWriter, q *query) error {
		model, err := v.model(s, q)
		if err != nil {
			return err
		}
		switch v.template {
		case "compare", "captures", "quality", "site":
			w.Header().Set("Content-Security-Policy", replayPolicy(s.replayRoot(q.request, q.harvest.Name),
				v.template == "compare"))
		}
		s.render(w, q.request, http.StatusOK, v.template, q, model)
		return nil
	})
}

// tells answers with the model of a view as JSON.
func (s *Server) tells(v view) http.HandlerFunc {
	return s.answers(func(q *query) (any, error) { return v.model(s, q) })
}

// titles are what a browser calls the pages.
var titles = map[string]string{
	"home": "Home", "harvest": "Harvest", "control": "Control", "decisions": "Decisions",
	"sites": "Sites", "site": "Site", "settings": "Settings",
	"explain": "Why in, why out", "skipped": "Left out",
	"mirrors": "Copies", "changes": "Changes", "captures": "Archive", "quality": "Quality",
	"search": "Search", "compare": "Side by side", "refused": "Not shown",
	"draft": "New harvest", "machines": "Machines",
}

func (s *Server) render(w http.ResponseWriter, r *http.Request, status int, name string,
	q *query, model any,
) {
	c := callerOf(r)
	v := &shown{
		Title: titles[name], Here: name, Leave: c.form, Who: c.name, Model: model, query: r.URL.Query(),
		path: r.URL.Path, Begins: s.options.Depot != nil && c.role >= Runs,
		Shares: s.options.Board != nil,
	}
	if c.role >= Decides {
		v.Form = c.form
	}
	if c.role >= Runs {
		v.Steers = c.form
	}
	if q != nil && q.harvest != nil {
		v.Harvest, v.Root, v.Runs = q.harvest.Name, "/harvests/"+url.PathEscape(q.harvest.Name), q.runs
		if q.run != "" {
			v.Run = path.Base(q.run.Name())
		}
		v.State, v.Kept = q.standing(s), q.harvest.kept != nil
		if q.watch != nil && (q.watch.Live || q.watch.Present != nil) {
			v.Watch = q.watch
			v.Watch.Acts = actsOf(q.harvest, len(q.runs), q.watch.Status)
		}
	}
	var b bytes.Buffer
	if err := s.pages[name].ExecuteTemplate(&b, "layout", v); err != nil {
		s.log.Error("a page could not be made", "page", name, "cause", err)
		http.Error(w, "This page could not be made: "+err.Error(), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.WriteHeader(status)
	_, _ = b.WriteTo(w) // who asked is gone if this fails
}

// standing tells in few words how the run stands that is looked at.
func (q *query) standing(s *Server) string {
	var x *Status
	var err error
	if q.run != "" {
		x, err = s.readStatus(q.run)
	}
	if err != nil {
		return "unknown"
	}
	return standing(q.harvest, len(q.runs), x)
}

func writeJSON(w http.ResponseWriter, status int, model any) {
	var b bytes.Buffer
	out := json.NewEncoder(&b)
	out.SetIndent("", " ")
	if err := out.Encode(model); err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = b.WriteTo(w) // who asked is gone if this fails
}

// apiError is how the API says that it has no answer.
type apiError struct {
	Error string `json:"error"`
}

// refuse says why there is no answer, as a page or, to a program, as JSON.
func (s *Server) refuse(w http.ResponseWriter, r *http.Request, err error) {
	status, text := statusOf(err)
	if status == http.StatusInternalServerError {
		s.log.Error("no answer", "path", r.URL.Path, "cause", err)
	}
	if status == http.StatusUnauthorized {
		w.Header().Set("WWW-Authenticate", `Bearer realm="watershed"`)
	}
	if strings.HasPrefix(r.URL.Path, "/api/") || r.URL.Path == "/metrics" {
		writeJSON(w, status, apiError{text})
		return
	}
	s.render(w, r, status, "refused", nil, refusedModel{
		Status: status, Text: text,
		Ask: status == http.StatusUnauthorized, Names: len(s.sessions.accounts) > 0,
	})
}

type refusedModel struct {
	Status int
	Text   string
	Ask    bool // for the secret
	Names  bool // there are accounts
}

// list is a page of a long list.
type list struct {
	Page  int `json:"page"`  // from 1
	Pages int `json:"pages"` // at least 1
	Total int `json:"total"` // entries on all pages
}

// listPage is how many entries a page has.
const listPage = 100

func pageOf(page, total int) (l list, from, to int) { return pageBy(page, total, listPage) }

// pageBy is pageOf with another number of entries on a page.
func pageBy(page, total, size int) (l list, from, to int) {
	pages := max(1, (total+size-1)/size)
	page = min(page, pages)
	from = (page - 1) * size
	return list{Page: page, Pages: pages, Total: total}, from, min(from+size, total)
}
