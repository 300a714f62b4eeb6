package acceptance

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"mime"
	"os"
	"path"
	"strings"
	"text/tabwriter"

	"watershed/harvest/copies"
	"watershed/lab/testweb"
)

// mostSampled is how many pages of a mirror are compared at most before a run decides on it, in an
// epoch in which no other mirror drifts.
const mostSampled = 15

// mostCompared is how many pages of a mirror are compared at most, by the log of its first harvest,
// where a part of the other mirrors drifts: of each kind of content so many that no more than a page
// of a hundred copies is expected to have changed unseen. Of a mirror that drifts any part of the n
// pages is as likely to have changed as any other part, so that after k pages that agree another one
// has changed with a probability of 1/((k+1)(k+2)).
func mostCompared(first told, drifting float64) int {
	if drifting == 0 {
		return mostSampled
	}
	var pages [copies.Kinds]int
	for at, status := range first {
		if fetched(status) {
			pages[copies.KindOf(mediaTypeOf(at))]++
		}
	}
	sum := 0
	for _, n := range pages {
		k := 0
		for drifting*float64(n-k) > .01*float64((k+1)*(k+2)) {
			k++
		}
		sum += k
	}
	return max(mostSampled, sum)
}

// mediaTypeOf is the media type that the name of a file says; "" for a page.
func mediaTypeOf(at string) string {
	at, _, _ = strings.Cut(at, "?")
	media, _, _ := mime.ParseMediaType(mime.TypeByExtension(path.Ext(at)))
	return media
}

// inForce reports the states of a mirror whose pages are left out.
func inForce(state string) bool { return state == "confirmed" || state == "pruned" }

// drifting is the part of the other mirrors than one in force that drift in an epoch; before has
// those that were in force when it began.
func drifting(truth fs.FS, before map[string]bool) (float64, error) {
	drifted, others := 0, -1
	err := testweb.Rows(truth, "mirrors.tsv", 5, func(f []string) error {
		if before[f[1]] {
			others++
			if f[4] == "drift" {
				drifted++
			}
		}
		return nil
	})
	return float64(drifted) / float64(max(1, others)), err
}

// told is what the server's log has of one host in one epoch: the last status of each path.
type told map[string]string

func fetched(status string) bool { return status == "200" || status == "304" }

// judge says of each mirror in each recrawl how many requests it cost, how many of them were for
// pages that the original answered, too, and which of its own pages were not asked for. The error
// tells what breaks a promise: a mirror that is in force is asked for no more than its sample and
// what the original has not; what only a mirror has is captured; a mirror that drifts is reopened.
func (s *story) judge(out io.Writer) error {
	var logs [3]map[string]told
	var err error
	for epoch := range logs {
		if logs[epoch], err = readAccess(s.path(fmt.Sprintf("access-%d.tsv", epoch))); err != nil {
			return err
		}
	}
	broken := 0
	var before map[string]bool // mirrors in force when the epoch began
	for epoch := 1; epoch < 3; epoch++ {
		states, err := readStates(s.path(fmt.Sprintf("table-%d.csv", epoch)))
		if err != nil {
			return err
		}
		now := map[string]bool{}
		for mirror, state := range states {
			now[mirror] = inForce(state)
		}
		if epoch == 1 { // all that were imported, also those that it reopened
			before = maps.Clone(now)
			for mirror, state := range states {
				before[mirror] = before[mirror] || state == "reopened"
			}
		}
		j := judged{first: logs[0], last: logs[epoch-1], log: logs[epoch], states: states}
		truth := os.DirFS(s.path(fmt.Sprintf("truth-%d", epoch)))
		if j.drifting, err = drifting(truth, before); err != nil {
			return err
		}
		w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
		fmt.Fprintf(w, "\nepoch %d\nmirror\tlevel\tstatus\tstate\tfirst harvest\tnow\tanswered by the "+
			"original, too\tonly there\tof these not asked for\t\n", epoch)
		err = testweb.Rows(truth, "mirrors.tsv", 5, func(f []string) error {
			broken += j.mirror(w, f)
			return nil
		})
		if err = errors.Join(err, w.Flush()); err != nil {
			return err
		}
		before = now
	}
	if broken > 0 {
		return fmt.Errorf("%d mirrors break a promise", broken)
	}
	_, err = fmt.Fprintln(out, "\nall promises are kept")
	return err
}

// judged is an epoch that is judged.
type judged struct {
	first, last, log map[string]told // by host: of the first harvest, the one before, and this one
	states           map[string]string
	drifting         float64 // the part of the other mirrors than one in force
}

// mirror judges a mirror by its row of the truth, and gives 1 where it breaks a promise.
func (j *judged) mirror(w io.Writer, f []string) (broken int) {
	state, known := j.states[f[1]]
	if !known {
		return 0
	}
	a, b := j.log[f[0]], j.log[f[1]]
	both, only, lost := 0, 0, 0
	for path := range b {
		if fetched(b[path]) && fetched(a[path]) {
			both++
		}
	}
	for path, status := range j.last[f[1]] {
		if _, asked := a[path]; !fetched(status) || path == "/robots.txt" ||
			asked && a[path] != "404" && a[path] != "410" || j.first[f[0]][path] == "200" {
			continue // the original answers it, or has: a capture stands for it
		}
		only++
		if _, asked := b[path]; !asked {
			lost++
		}
	}
	wrong := lost > 0
	switch {
	case f[4] == "drift":
		wrong = wrong || inForce(state)
	case inForce(state):
		wrong = wrong || both > mostCompared(j.first[f[1]], j.drifting)+1 // robots.txt
	}
	mark := ""
	if wrong {
		broken, mark = 1, "!"
	}
	fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%d\t%d\t%d\t%d\t%d\t%s\n", f[1], f[3], f[4], state,
		len(j.first[f[1]]), len(b), both, only, lost, mark)
	return broken
}

// readAccess reads the server's log: times, host, method, path, status.
func readAccess(name string) (map[string]told, error) {
	hosts := map[string]told{}
	return hosts, testweb.FileRows(name, 6, func(f []string) error {
		if hosts[f[2]] == nil {
			hosts[f[2]] = told{}
		}
		hosts[f[2]][f[4]] = f[5]
		return nil
	})
}

// readStates gives the state of each mirror of a table of replicas.
func readStates(name string) (map[string]string, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	rows, err := csv.NewReader(f).ReadAll()
	if err = errors.Join(err, f.Close()); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	states := map[string]string{}
	from, state := -1, -1
	for i, row := range rows {
		for k, cell := range row {
			switch {
			case i == 0 && cell == "from":
				from = k
			case i == 0 && cell == "state":
				state = k
			}
		}
		if from < 0 || state < 0 {
			return nil, fmt.Errorf("%s: no columns from and state", name)
		}
		states[row[from]] = row[state]
	}
	return states, nil
}
