package ui

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"watershed/configs"
	"watershed/harvest"
	"watershed/harvest/control"
	"watershed/harvest/depot"
)

// lookAfter is how many URLs a run asks for before it pauses to be looked at.
const lookAfter = 100

// errShows says that a desk begins nothing.
var errShows = notFound("This desk shows harvests, and begins none. Start it with a folder of them: " +
	"watershed ui FOLDER")

// all are the harvests that the desk shows now.
func (s *Server) all() ([]Harvest, error) {
	if s.options.Depot == nil {
		return s.options.Harvests, nil
	}
	kept, err := s.options.Depot.List()
	list := make([]Harvest, len(kept))
	for i := range kept {
		h := &kept[i]
		if list[i] = (Harvest{Name: h.Name}); h.Config != nil {
			list[i] = HarvestOf(h.Config)
		} else {
			base := strings.TrimSuffix(h.File, filepath.Ext(h.File))
			list[i].Folder = harvest.Folder(filepath.Join(s.options.Depot.Dir(), base))
		}
		list[i].kept = h
	}
	return list, err
}

func (s *Server) harvestNamed(name string) (*Harvest, error) {
	list, err := s.all()
	if err != nil {
		return nil, err
	}
	i := slices.IndexFunc(list, func(h Harvest) bool { return h.Name == name })
	if i < 0 {
		return nil, notFound("There is no harvest of this name here.")
	}
	return &list[i], nil
}

// replayed is the folder whose captures are replayed under a name.
func (s *Server) replayed(name string) (harvest.Folder, bool) {
	own, proofs := strings.CutSuffix(name, proofsName(""))
	h, err := s.harvestNamed(own)
	switch {
	case err != nil:
		return "", false
	case proofs:
		return h.Folder.Proofs(), true
	}
	return h.Folder, true
}

// beginner writes YAMLs, and begins and ends runs.
type beginner struct{ *Server }

// draftModel is a YAML as it is being written.
type draftModel struct {
	Of      string // the harvest whose YAML it is; "" for a new one
	Pasted  string
	Name    string
	Contact string
	YAML    string
	Was     string   // the mark of the YAML as it was shown first
	Notes   []string // what of a configuration of another crawler has no equal
	Faults  []fault
	Right   string // what the YAML will harvest, where it is in order
	Look    int
	Theirs  string // the YAML, where another hand has changed it meanwhile
}

// fault is something that is wrong in what was written.
type fault struct {
	Line   int    `json:"line,omitempty"` // of the YAML; 0 for none
	Where  string `json:"where"`          // for people
	Text   string `json:"text"`
	Hint   string `json:"hint,omitempty"` // what to do about it
	Source string `json:"source,omitempty"`
}

func faultsOf(err error) []fault {
	var list configs.Errors
	if !errors.As(err, &list) {
		said := strings.TrimPrefix(err.Error(), depot.ErrBroken.Error()+": ") // who shows it says so
		return []fault{{Text: sentence(strings.TrimSuffix(said, "."))}}
	}
	faults := make([]fault, 0, len(list))
	for _, e := range list {
		f := fault{Line: e.Line, Text: e.Message, Hint: e.Hint, Source: plain(e.Source, longText)}
		if e.Line > 0 {
			f.Where = "Line " + count(e.Line)
		}
		if filepath.Ext(e.File) != ".yaml" && filepath.Ext(e.File) != ".yml" {
			f.Line, f.Where = 0, f.Where+" of "+filepath.Base(e.File)
		}
		faults = append(faults, f)
	}
	return faults
}

// check tells of the YAML whether it is in order.
func (m *draftModel) check(d *depot.Depot) {
	c, err := d.Check(m.YAML)
	if err != nil {
		m.Faults = append(m.Faults, faultsOf(err)...)
		return
	}
	seeds := 0
	for i := range c.Sites {
		seeds += len(c.Sites[i].Seeds)
	}
	m.Right = fmt.Sprintf("In order: %s, %s.", plural(len(c.Sites), "site", "sites"),
		plural(seeds, "seed", "seeds"))
}

// draft writes the YAML of what was pasted.
func (m *draftModel) draft(ctx context.Context, d *depot.Depot) {
	text, notes, err := d.Draft(ctx, m.Pasted, m.Name, m.Contact)
	if err != nil {
		m.Faults = faultsOf(err)
		return
	}
	m.YAML, m.Notes = text, notes
}

// filledIn is the model of a form that was sent.
func filledIn(r *http.Request) draftModel {
	return draftModel{
		Pasted: r.PostFormValue("pasted"), Name: r.PostFormValue("name"), Contact: r.PostFormValue("contact"),
		YAML: r.PostFormValue("yaml"), Was: r.PostFormValue("was"), Look: lookAfter,
	}
}

// checks tells the script of the form what is wrong with what is being written, and the YAML of what
// was pasted.
func (s beginner) checks(w http.ResponseWriter, r *http.Request) {
	d := s.options.Depot
	if d == nil {
		s.refuse(w, r, errShows)
		return
	}
	m := filledIn(r)
	if r.PostFormValue("do") == "write" {
		m.draft(r.Context(), d)
	}
	if m.YAML != "" && len(m.Faults) == 0 {
		m.check(d)
	}
	writeJSON(w, http.StatusOK, struct {
		YAML   string   `json:"yaml"`
		Notes  []string `json:"notes"`
		Faults []fault  `json:"faults"`
		Right  string   `json:"right"`
	}{m.YAML, append([]string{}, m.Notes...), append([]fault{}, m.Faults...), m.Right})
}

// schema is what the script of the form completes the YAML by.
func (s beginner) schema(w http.ResponseWriter, r *http.Request) {
	text, err := configs.Schema()
	if err != nil {
		s.refuse(w, r, err)
		return
	}
	w.Header().Set("Content-Type", "application/schema+json")
	_, _ = w.Write(text) // who asked is gone if this fails
}

// drafts shows the YAML of a harvest, new or of the folder, and does what its form asks for.
func (s beginner) drafts(w http.ResponseWriter, r *http.Request) {
	q, m, to, err := s.draftAsked(r)
	switch {
	case err != nil:
		s.refuse(w, r, err)
	case to != "":
		http.Redirect(w, r, to, http.StatusSeeOther)
	default:
		status := http.StatusOK
		if r.Method == http.MethodPost && len(m.Faults) > 0 {
			status = http.StatusUnprocessableEntity
		}
		if m.Theirs != "" {
			status = http.StatusConflict
		}
		s.render(w, r, status, "draft", q, m)
	}
}

// draftAsked does what the form asks for; to is where the browser goes then, "" to stay.
func (s beginner) draftAsked(r *http.Request) (q *query, m draftModel, to string, err error) {
	d := s.options.Depot
	if d == nil {
		return nil, m, "", errShows
	}
	if q, err = s.query(r); err != nil {
		return q, m, "", err
	}
	m = filledIn(r)
	if q.harvest != nil {
		m.Of = q.harvest.Name
	}
	if r.Method != http.MethodPost {
		if m.Contact = d.Operator().Contact; m.Of != "" {
			m.YAML, err = d.Text(m.Of)
			m.Was = depot.Mark(m.YAML)
			if m.check(d); q.harvest.kept.Err == nil && len(m.Faults) > 0 {
				m.Faults, m.Right = nil, "In order. It was written by hand, and has options that are "+
					"not taken from a browser: it is begun here as it stands, and changed in "+
					q.harvest.kept.File+"."
			}
		}
		return q, m, "", err
	}
	do := r.PostFormValue("do")
	if do == "write" {
		m.draft(r.Context(), d)
	}
	if m.check(d); do == "write" || do == "check" || len(m.Faults) > 0 {
		return q, m, "", nil
	}
	if strings.TrimSpace(m.Pasted) != "" { // else the YAML of other addresses would be harvested
		if _, _, err := d.Draft(r.Context(), m.Pasted, m.Name, m.Contact); err != nil {
			m.Right, m.Faults = "", faultsOf(err)
			return q, m, "", nil
		}
	}
	name := m.Of
	if name == "" {
		name, err = d.Create(m.YAML)
	} else {
		err = d.Replace(name, m.Was, m.YAML)
	}
	if err != nil {
		return q, m, "", m.refused(d, err)
	}
	s.log.Info("YAML written", "harvest", name)
	root := "/harvests/" + url.PathEscape(name)
	if do == "save" {
		return q, m, root + "/yaml", nil
	}
	return q, m, root, s.start(r, name, do)
}

// refused has the form say why what was written is not kept, and keep what was written; else the
// error is given back. The YAML that another hand has changed is shown beside; saved again, what was
// written takes its place.
func (m *draftModel) refused(d *depot.Depot, err error) error {
	var wrong configs.Errors
	changed := errors.Is(err, depot.ErrChanged)
	if !changed && !errors.As(err, &wrong) && !errors.Is(err, depot.ErrThere) {
		return err
	}
	m.Right, m.Faults = "", faultsOf(err)
	if changed {
		m.Theirs, err = d.Text(m.Of)
		m.Was = depot.Mark(m.Theirs)
		return err
	}
	return nil
}

// start begins a run of a harvest.
func (s beginner) start(r *http.Request, name, do string) error {
	how := depot.How{Extend: do == "extend"}
	if do == "look" {
		how.Look = lookAfter
	}
	return s.options.Depot.Start(r.Context(), name, how)
}

// acts does what a button asks of a harvest's runs, and leads back to where it stands.
func (s beginner) acts(w http.ResponseWriter, q *query) (err error) {
	r := q.request
	switch do := r.PostFormValue("do"); {
	case do == control.Pause || do == control.Resume || do == control.Stop:
		_, err = s.steer(q, control.Order{Do: do})
	case s.options.Depot == nil:
		err = errShows
	case do == "start" || do == "extend" || do == "look":
		err = s.start(r, q.harvest.Name, do)
	default:
		err = badRequest("%q is nothing that a harvest can do", plain(do, shortText))
	}
	if err != nil {
		return err
	}
	to := r.PostFormValue("back")
	if !strings.HasPrefix(to, "/harvests/") { // no page of the desk
		to = "/"
	}
	http.Redirect(w, r, to, http.StatusSeeOther)
	return nil
}

// orderForm takes an order from the form of the view Control.
func (s beginner) orderForm(q *query) (to string, err error) {
	o, err := formOrder(q.request)
	if err != nil {
		return "", err
	}
	answer, err := s.steer(q, o)
	if err != nil || answer.Later == "" {
		return "control", err
	}
	return "control?later=" + url.QueryEscape(o.Do), nil
}

// steer gives an order. When it returns, the run's status shows a pause, its end or a stop, if the run
// tells of it soon.
func (s beginner) steer(q *query, o control.Order) (control.Answer, error) {
	answer, err := s.order(q, o)
	if err == nil && (o.Do == control.Pause || o.Do == control.Resume || o.Do == control.Stop) {
		s.awaitStatus(q, o.Do)
	}
	return answer, err
}

// statusWait is how long an order is waited for to show in the run's status, which is renewed each
// second.
const statusWait = 1500 * time.Millisecond

// awaitStatus waits until the run tells that it has obeyed, so that who gave the order sees what came
// of it; at most statusWait.
func (s beginner) awaitStatus(q *query, do string) {
	ctx, stop := context.WithTimeout(q.request.Context(), statusWait)
	defer stop()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for {
		x, err := s.readStatus(q.run)
		if err != nil || x == nil || !x.Live || do != control.Stop && x.Held == (do == control.Pause) {
			return
		}
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

// runActs is what the buttons of a harvest's runs need to know.
type runActs struct {
	Name     string
	Starting bool // a process was begun, and its run says nothing yet
	Ending   bool // the run has ended, and its process has not yet
	Live     bool
	Held     bool
	Asking   bool // it asks for pages, so that it can be paused
	New      bool // it was never run
	Cut      bool // the last run was interrupted, or ended by a fault: it goes on
	Barred   bool // its YAML is not in order, or machines of a cluster harvest it
	Failed   bool // the last start, and no run says why
	Said     []string
}

// actsOf tells what can be done with a harvest whose last run stands so.
func actsOf(h *Harvest, runs int, x *Status) runActs {
	a := runActs{Name: h.Name, New: runs == 0, Barred: h.Folder.Shared()}
	if k := h.kept; k != nil {
		a.Barred = a.Barred || k.Err != nil || k.Config.Whole() != ""
	}
	if x != nil {
		a.Live, a.Held = x.Live, x.Held
		a.Asking = x.Live && x.Phase != control.Delivering
		a.Cut = x.interrupted() || x.failed() && x.Phase == "stopped"
	}
	a.Starting = h.kept != nil && h.kept.Start != nil && !h.kept.Start.Ended && !a.Live
	a.Ending = a.Starting && x != nil && x.Time.After(h.kept.Start.At)
	if h.kept != nil && h.kept.Start != nil && h.kept.Start.Wrong {
		told := x != nil && x.failed() && x.Time.After(h.kept.Start.At)
		a.Failed, a.Said = !told, strings.Split(cmp.Or(h.kept.Start.Said, "It printed nothing."), "\n")
	}
	return a
}
