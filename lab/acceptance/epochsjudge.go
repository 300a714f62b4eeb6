package acceptance

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"os"
	"text/tabwriter"

	"watershed/lab/testweb"
)

// mostSampled is how many pages of a mirror are compared at most before a run decides on it, where
// that is more than half of them: where other mirrors drift, samples grow with the pages.
const mostSampled = 15

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
	for epoch := 1; epoch < 3; epoch++ {
		states, err := readStates(s.path(fmt.Sprintf("table-%d.csv", epoch)))
		if err != nil {
			return err
		}
		w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
		fmt.Fprintf(w, "\nepoch %d\nmirror\tlevel\tstatus\tstate\tfirst harvest\tnow\tanswered by the "+
			"original, too\tonly there\tof these not asked for\t\n", epoch)
		err = testweb.Rows(os.DirFS(s.path(fmt.Sprintf("truth-%d", epoch))), "mirrors.tsv", 5,
			func(f []string) error {
				state, known := states[f[1]]
				if !known {
					return nil
				}
				a, b := logs[epoch][f[0]], logs[epoch][f[1]]
				both, only, lost := 0, 0, 0
				for path := range b {
					if fetched(b[path]) && fetched(a[path]) {
						both++
					}
				}
				for path, status := range logs[epoch-1][f[1]] {
					if _, asked := a[path]; !fetched(status) || path == "/robots.txt" ||
						asked && a[path] != "404" && a[path] != "410" || logs[0][f[0]][path] == "200" {
						continue // the original answers it, or has: a capture stands for it
					}
					only++
					if _, asked := b[path]; !asked {
						lost++
					}
				}
				wrong := lost > 0
				switch inForce := state == "confirmed" || state == "pruned"; {
				case f[4] == "drift":
					wrong = wrong || inForce
				case inForce:
					wrong = wrong || both > max(mostSampled, len(logs[0][f[1]])/2)+1 // robots.txt
				}
				mark := ""
				if wrong {
					broken++
					mark = "!"
				}
				fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%d\t%d\t%d\t%d\t%d\t%s\n", f[1], f[3], f[4], state,
					len(logs[0][f[1]]), len(b), both, only, lost, mark)
				return nil
			})
		if err = errors.Join(err, w.Flush()); err != nil {
			return err
		}
	}
	if broken > 0 {
		return fmt.Errorf("%d mirrors break a promise", broken)
	}
	_, err = fmt.Fprintln(out, "\nall promises are kept")
	return err
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
