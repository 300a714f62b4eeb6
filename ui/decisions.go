package ui

import (
	"net/url"
	"slices"
	"strconv"
	"strings"

	"watershed/harvest"
	"watershed/harvest/control"
	"watershed/harvest/decision"
	"watershed/page"
)

// DecisionsModel is what was decided by hand on a harvest's pages.
type DecisionsModel struct {
	// in their order: of pins that match a page the last one holds
	Decisions []decision.Decision  `json:"decisions"`
	Withdrawn []decision.Withdrawn `json:"withdrawn"` // the latest first, a hundred at most
	Sites     []string             `json:"sites"`     // that may be decided on
	Live      bool                 `json:"live"`      // a run is under way, which settles decisions at once
	Rule      string               `json:"-"`         // that the form begins with
}

// shownWithdrawn is how many withdrawn decisions a page has.
const shownWithdrawn = 100

func decisionsModel(s *Server, q *query) (any, error) {
	l, err := harvest.ReadDecisions(q.harvest.Folder.Decisions())
	if err != nil {
		return nil, err
	}
	m := DecisionsModel{
		Decisions: append([]decision.Decision{}, l.Decisions...), Withdrawn: []decision.Withdrawn{},
		Sites: append([]string{}, q.harvest.Sites...), Rule: q.value("rule"),
	}
	for i, w := range slices.Backward(l.Withdrawn) {
		if len(l.Withdrawn)-i > shownWithdrawn {
			break
		}
		m.Withdrawn = append(m.Withdrawn, w)
	}
	if q.run != "" {
		status, err := s.readStatus(q.run)
		if err != nil {
			return nil, err
		}
		m.Live = status != nil && status.Live
	}
	return m, nil
}

// ruling is what a person decides on a site's pages, or on its scale.
type ruling struct {
	Do       string  `json:"do"`              // in, out, soft, exclude or alpha
	Site     string  `json:"site,omitempty"`  // "" is each
	Rule     string  `json:"rule,omitempty"`  // of all but alpha: an address, or a rule as in the YAML
	Below    bool    `json:"below,omitempty"` // the address stands for all that begin with it
	Alpha    float64 `json:"alpha,omitempty"`
	Withdraw bool    `json:"withdraw,omitempty"` // takes back what was decided on the same
	By       string  `json:"by,omitempty"`       // "archivist" where it is empty
	Note     string  `json:"note,omitempty"`
}

// Ruled is what came of it.
type Ruled struct {
	Decision decision.Decision `json:"decision"`
	// a run under way settled it; else it counts from the next start on
	Settled bool            `json:"settled"`
	Done    []control.Entry `json:"done"` // what that changed in the run
}

// ruleOn keeps a decision, and has a run under way settle it.
func (a *actions) ruleOn(q *query, x ruling) (out Ruled, err error) {
	d := decision.Decision{Do: x.Do, Site: x.Site, Alpha: x.Alpha, Time: a.options.Now().UTC()}
	d.By, d.Note = q.person(x.By, x.Note)
	if x.Site != "" && !slices.Contains(q.harvest.Sites, x.Site) {
		return out, notFound("The harvest has no site of this name.")
	}
	if x.Do != decision.Alpha {
		if d.Rule, err = decision.RuleOf(x.Rule, x.Below); err != nil {
			return out, err
		}
	}
	out.Decision = d
	done, taken, err := q.harvest.Folder.Decide(q.request.Context(), d.By, func(l *decision.List) error {
		if x.Withdraw {
			if found := l.Find(d); found != nil {
				out.Decision = *found
			}
			return l.Withdraw(d, decision.Change{By: d.By, Time: d.Time, Note: d.Note})
		}
		_, err := l.Put(d)
		return err
	})
	if err != nil {
		return out, err
	}
	out.Settled, out.Done = taken, append([]control.Entry{}, done...)
	a.log.Info("decided", "harvest", q.harvest.Name, "decision", d.String(), "withdrawn", x.Withdraw)
	return out, nil
}

// ruleForm takes a decision from a form of the desk, and leads back to where it was made.
func (a *actions) ruleForm(q *query) (to string, err error) {
	r := q.request
	x := ruling{
		Do: r.PostFormValue("do"), Site: r.PostFormValue("site"), Rule: r.PostFormValue("rule"),
		Below:    r.PostFormValue("below") != "",
		Withdraw: r.PostFormValue("withdraw") != "", By: r.PostFormValue("by"), Note: r.PostFormValue("note"),
	}
	if text := r.PostFormValue("alpha"); text != "" {
		if x.Alpha, err = strconv.ParseFloat(strings.TrimSpace(text), 64); err != nil {
			return "", badRequest("α is a number")
		}
	}
	if _, err = a.ruleOn(q, x); err != nil {
		return "", err
	}
	if u, err := page.ParseURL(r.PostFormValue("explain")); err == nil {
		return "explain?" + url.Values{"url": {string(u)}}.Encode(), nil
	}
	if back := r.PostFormValue("back"); strings.HasPrefix(back, "sites/") {
		if strings.Contains(back, "region=") {
			return back + "#region", nil
		}
		return back + "#decided", nil
	}
	return "decisions", nil
}
