package ui

import (
	"cmp"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"watershed/harvest"
	"watershed/harvest/control"
	"watershed/page"
)

// ControlModel is what was changed by hand while a run went on, and whether more may be.
type ControlModel struct {
	Run    string          `json:"run,omitempty"`
	Status *Status         `json:"status,omitempty"`
	Later  string          `json:"-"`      // what was taken while the run was being opened
	Orders []control.Entry `json:"orders"` // the latest first
	list
}

func controlModel(s *Server, q *query) (any, error) {
	m := ControlModel{Orders: []control.Entry{}}
	number, err := q.page()
	if err != nil || q.run == "" {
		m.list, _, _ = pageOf(1, 0)
		return m, err
	}
	m.Run = q.run.Name()
	if slices.Contains([]string{control.Stop, control.Pause, control.Resume}, q.value("later")) {
		m.Later = q.value("later")
	}
	if m.Status, err = s.readStatus(q.run); err != nil {
		return nil, err
	}
	all, err := harvest.ReadOrders(q.run)
	if err != nil {
		return nil, err
	}
	slices.Reverse(all)
	var from, to int
	m.list, from, to = pageOf(number, len(all))
	m.Orders = append(m.Orders, all[from:to]...)
	return m, nil
}

// Live reports that the run is under way, so that it may take orders.
func (m ControlModel) Live() bool { return m.Status != nil && m.Status.Live }

// Opening reports that the run is not open yet, and Delivering that it asks for nothing any more.
func (m ControlModel) Opening() bool { return m.Live() && m.Status.Phase == control.Opening }

// Delivering says that there is nothing left to change but whether it goes on.
func (m ControlModel) Delivering() bool { return m.Live() && m.Status.Phase == control.Delivering }

// person makes a name or note of a request fit to be kept. The name is that of the account which asks;
// without one that which is given, or "archivist".
func (q *query) person(by, note string) (string, string) {
	if name := callerOf(q.request).name; name != "" {
		by = name
	}
	by, note = strings.TrimSpace(plain(by, maxNote)), strings.TrimSpace(plain(note, maxNote))
	by = cmp.Or(by, "archivist")
	return by, note
}

// order gives an order to the run under way.
func (a *actions) order(q *query, o control.Order) (control.Answer, error) {
	if o.Do == control.Decisions || o.Do == control.Present {
		return control.Answer{}, badRequest("decisions, and how the run stands, have addresses of their own")
	}
	o.By, o.Note = q.person(o.By, o.Note)
	if o.Host != "" && o.Host != control.EachHost {
		u, err := page.ParseURL("http://" + string(o.Host) + "/")
		if err != nil || u.PathQuery() != "/" {
			return control.Answer{}, badRequest("%q is no host", plain(string(o.Host), shortText))
		}
		o.Host = u.Host()
	}
	answer, err := q.harvest.Folder.Order(q.request.Context(), o)
	if err == nil && o.Do != control.Explain {
		a.log.Info("order given", "harvest", q.harvest.Name, "do", o.Do, "by", o.By)
	}
	return answer, err
}

// units are what a form's numbers count.
var units = map[string]struct {
	limit string
	of    float64
}{
	"pages": {control.Pages, 1}, "files": {control.Files, 1}, "megabytes": {control.Bytes, 1e6},
	"minutes": {control.Seconds, 60},
}

// formOrder reads an order from the desk's form.
func formOrder(r *http.Request) (o control.Order, err error) {
	o = control.Order{
		Do: r.PostFormValue("do"), By: r.PostFormValue("by"), Note: r.PostFormValue("note"),
		Host: page.Host(strings.TrimSpace(r.PostFormValue("host"))),
	}
	if o.Do != control.Delay && o.Do != control.Limit {
		o.Host = ""
		return o, nil
	}
	text := strings.TrimSpace(r.PostFormValue("value"))
	text = cmp.Or(text, "0")
	n, err := strconv.ParseFloat(text, 64)
	if err != nil || !(n >= 0 && n <= 1e12) {
		return o, badRequest("%q is not a number from 0 on", plain(text, shortText))
	}
	if o.Do == control.Delay {
		o.Seconds = n
		return o, nil
	}
	u := units[r.PostFormValue("unit")]
	o.Limit, o.Value = u.limit, int64(n*u.of)
	return o, nil
}
