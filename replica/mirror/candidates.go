package mirror

// Candidate is a pair of a ranking that is worth a test: From may be a mirror of To, of which more
// URLs are known.
type Candidate struct {
	Rank     int        `json:"rank"` // in the ranking, from 1
	From     string     `json:"from"`
	To       string     `json:"to"`
	Score    float64    `json:"score"` // of the fused rankings a probability
	Evidence []Evidence `json:"evidence"`
}

// Candidates gives the first pairs of a ranking, at most so many, whose score is at least least.
// Not safe for concurrent use.
func (r *Result) Candidates(m Method, least float64, most int) []Candidate {
	var list []Candidate
	for i, p := range r.Ranking(m) {
		if i == most || p.Score < least {
			break
		}
		a, b := r.e.hosts.list[p.A], r.e.hosts.list[p.B]
		if a.URLs > b.URLs || a.URLs == b.URLs && a.Name < b.Name {
			a, b = b, a
		}
		list = append(list, Candidate{
			Rank: i + 1, From: a.Name, To: b.Name, Score: p.Score,
			Evidence: r.Explain(p),
		})
	}
	return list
}
