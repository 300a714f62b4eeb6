package report

import (
	"bufio"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"strings"
)

// Names are the reports that Text prints.
var Names = []string{"ending", "losses", "seeds", "hosts", "sites", "mime", "status", "skipped", "missing"}

// Text writes the report of that name as a table, one line a row, the columns named in the first
// line and separated by spaces. The error is for a name that is not one of Names, or from w.
func (r *Report) Text(w io.Writer, name string) error {
	table := &table{w: w}
	switch name {
	case "ending":
		r.endingText(table)
	case "losses":
		table.row("[what]", "[status]", "[url]", "[error]")
		if r.Ending != nil {
			for _, x := range r.Ending.Lost {
				table.row(x.What, x.Status, x.URL, x.Cause)
			}
		}
	case "seeds":
		table.row("[code]", "[status]", "[seed]", "[redirect-uri]")
		for _, s := range r.Seeds {
			word := "NOTCRAWLED"
			if s.Status > 0 {
				word = "CRAWLED"
			}
			table.row(s.Status, word, s.URL, s.Redirect, s.Cause)
		}
	case "hosts":
		table.row("[#urls]", "[#bytes]", "[host]", "[#robots]", "[#remaining]", "[#novel-urls]",
			"[#novel-bytes]", "[#dup-by-hash-urls]", "[#dup-by-hash-bytes]", "[#not-modified-urls]",
			"[#not-modified-bytes]", "[#failed]", "[#skipped]")
		for _, h := range r.Hosts() {
			table.row(h.Fetched.URLs, h.Fetched.Bytes, h.Host, h.Robots, h.Remaining, h.Novel.URLs,
				h.Novel.Bytes, h.Duplicate.URLs, h.Duplicate.Bytes, h.NotModified.URLs, h.NotModified.Bytes,
				h.Failed, h.Skipped)
		}
	case "sites":
		table.row("[#pages]", "[#requisites]", "[#bytes]", "[#hosts]", "[cut]", "[settled]", "[boundary]",
			"[keywords]", "[entry]", "[#context]", "[site]")
		for _, s := range r.Sites {
			table.row(s.Pages, s.Requisites, s.Bytes, s.Hosts, fmt.Sprintf("%.3f", s.Cut), s.Settled,
				s.Boundary, strings.Join(s.Keywords, ","), s.Entry, s.Context, s.Name)
		}
	case "mime":
		table.row("[#urls]", "[#bytes]", "[mime-types]")
		for _, l := range r.mimeTypes() {
			table.row(l.URLs, l.Bytes, l.Name)
		}
	case "status":
		table.row("[#urls]", "[#bytes]", "[rescode]")
		for _, l := range r.statuses() {
			table.row(l.URLs, l.Bytes, l.Name)
		}
	case "skipped":
		table.row("[#urls]", "[reason]", "[examples]")
		for _, s := range r.skipped() {
			row := []any{s.URLs, s.Reason}
			for _, u := range s.Example {
				row = append(row, u)
			}
			table.row(row...)
		}
	case "missing":
		table.row("[status]", "[record]", "[url]")
		for _, m := range r.Missing {
			table.row(m.Status, fmt.Sprintf("%s@%d", m.File, m.Offset), m.URL)
		}
	default:
		return fmt.Errorf("no report %q: there are %s", name, strings.Join(Names, ", "))
	}
	return table.err
}

// counted is a count of an ending, with its word in the report; a rare one is told where there are any.
type counted struct {
	n    *int64
	what string
	rare bool
}

func (e *Ending) counts() []counted {
	return []counted{
		{&e.Sum.Known, "known", false},
		{&e.Sum.Captured, "captured", false},
		{&e.Sum.Outside, "outside", false},
		{&e.Sum.LeftOut, "left-out", false},
		{&e.Sum.Failed, "failed", false},
		{&e.Sum.NotReached, "not-reached", false},
		{&e.Losses.Seeds, "lost-seeds", false},
		{&e.Losses.Pages, "lost-pages", false},
		{&e.Losses.Requisites, "lost-requisites", false},
		{&e.Losses.Parts, "lost-parts", false},
		{&e.Losses.Drawings, "lost-drawings", false},
		{&e.Losses.Captures, "lost-captures", false},
		{&e.Losses.Hosts, "lost-hosts", false},
		{&e.InPart, "in-part", true},
		{&e.Endless, "endless", true},
	}
}

// endingText tells how the run ended, and counts its URLs.
func (r *Report) endingText(table *table) {
	e := r.Ending
	table.row("[#urls]", "[what]")
	if e == nil { // nothing of it is known
		table.row("-", "not ended")
		return
	}
	for _, c := range e.counts() {
		if *c.n > 0 || !c.rare {
			table.row(*c.n, c.what)
		}
	}
	for _, x := range e.Idle {
		table.row(0, strings.ReplaceAll(fmt.Sprintf("matched-%s:%s:%s", x.List, x.Site, x.Rule), " ", "_"))
	}
	for _, x := range e.Logins {
		table.row(x.Captures, strings.ReplaceAll("had-with-login:"+x.Site, " ", "_"))
		if x.Lost != "" {
			table.row(1, strings.ReplaceAll("login-lost:"+x.Site, " ", "_"))
		}
	}
	for _, x := range e.Left {
		where := "below"
		if x.Named > 0 {
			where = "beside"
		}
		what := fmt.Sprintf("left-%s-seed:%s:%s", where, x.Site, x.Name)
		table.row(int64(x.Pages), strings.ReplaceAll(what, " ", "_"))
	}
	table.row("-", e.String())
}

// table writes rows and keeps the first error.
type table struct {
	w   io.Writer
	err error
}

func (t *table) row(cells ...any) {
	if t.err != nil {
		return
	}
	text := make([]string, len(cells))
	for i, c := range cells {
		text[i] = cmp.Or(fmt.Sprint(c), "-")
	}
	for len(text) > 0 && text[len(text)-1] == "-" {
		text = text[:len(text)-1]
	}
	_, t.err = io.WriteString(t.w, strings.Join(text, " ")+"\n")
}

// Files has every report written: as text into the file of its name, and all into report.json.
func (r *Report) Files(write func(name string, text func(io.Writer) error) error) error {
	for _, name := range Names {
		err := write(name+".txt", func(w io.Writer) error { return r.Text(w, name) })
		if err != nil {
			return err
		}
	}
	return write("report.json", r.JSON)
}

// Tables are all reports, as report.json has them.
type Tables struct {
	*Report
	Hosts   []*Host        `json:"hosts"`
	MIME    []Line[string] `json:"mime"`
	Status  []Line[int]    `json:"status"` // by status of the answer, or below 0 as in crawl.log
	Skipped []*Reason      `json:"skipped"`
}

// JSON writes all reports as one object. Of the hosts, which may be a million, one at a time is encoded.
func (r *Report) JSON(w io.Writer) error {
	r.Seeds, r.Sites = listed(r.Seeds), listed(r.Sites)
	text, err := json.MarshalIndent(
		Tables{r, []*Host{}, r.mimeTypes(), r.statuses(), listed(r.skipped())}, "", "  ")
	if err != nil {
		return err
	}
	before, after, _ := strings.Cut(string(text)+"\n", "\n  \"hosts\": []")
	out := bufio.NewWriter(w)
	fmt.Fprint(out, before, "\n  \"hosts\": [")
	start, end := "\n    ", ""
	for _, h := range r.Hosts() {
		x, err := json.MarshalIndent(h, "    ", "  ")
		if err != nil {
			return err
		}
		fmt.Fprintf(out, "%s%s", start, x)
		start, end = ",\n    ", "\n  "
	}
	fmt.Fprint(out, end, "]", after)
	return out.Flush()
}

// listed is a list that JSON has as one, though it be empty.
func listed[T any](list []T) []T { return append([]T{}, list...) }
