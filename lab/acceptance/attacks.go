package acceptance

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"hash/maphash"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"text/tabwriter"

	"watershed/archive"
	"watershed/harvest"
	"watershed/lab/kit/copyweb"
	"watershed/page"
	"watershed/replica"
)

// Attacks harvests webs of copies that do harm in each of their epochs, once with nothing left out
// and once by each of the given options of copies, and tells what was lost by that: of a document
// that the first harvest has in an epoch, and the web, the other one has nothing that is equal or,
// of a text, .8 alike (of its sets of four words), in the archive of the same run.
type Attacks struct {
	Program string   `required:"" placeholder:"FILE"`
	Work    string   `required:"" placeholder:"DIR"`
	Seed    []uint64 `default:"1"`
	Hosts   int      `default:"100"`
	Copies  []string `default:"prune: next" sep:"none"`
	Only    []string `placeholder:"ATTACK" sep:"none"` // families that have one of these
	list    io.Writer
	List    string `placeholder:"FILE"`
}

func (c *Attacks) Run(out io.Writer) (err error) {
	if c.List != "" {
		list, err := os.Create(c.List)
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, list.Close()) }()
		c.list = list
	}
	if c.Work, err = filepath.Abs(c.Work); err != nil { // a plan's folder is relative to the plan
		return err
	}
	if err := os.MkdirAll(c.Work, 0o777); err != nil {
		return err
	}
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "seed\toptions\tepoch\tasked\thad\tleft out\tlost: held\tchanged\tnew\t"+
		"without a line\tnot met\tno stand\tturned round")
	for _, seed := range c.Seed {
		w := copyweb.New(seed, c.Hosts)
		if len(c.Only) > 0 {
			w.Families = slices.DeleteFunc(w.Families, func(f *copyweb.Family) bool {
				return !slices.ContainsFunc(f.Attacks, func(a string) bool {
					return slices.Contains(c.Only, a)
				})
			})
		}
		if len(w.Families) == 0 {
			return fmt.Errorf("seed %d: no family of %d hosts has one of the attacks %q", seed, c.Hosts,
				c.Only)
		}
		s := attacked{Attacks: c, web: w, seed: seed, out: out}
		if err := s.serve(func() error { return s.judge(table) }); err != nil {
			return errors.Join(err, table.Flush())
		}
	}
	return table.Flush()
}

// attacked is a web under way.
type attacked struct {
	*Attacks
	web           *copyweb.Web
	seed          uint64
	plain, secure int // ports
	out           io.Writer
}

// serve serves the web while f runs, each host at an address of its own.
func (s *attacked) serve(f func() error) (err error) {
	var hosts bytes.Buffer
	var addresses []string
	for _, family := range s.web.Families {
		for _, h := range family.Hosts {
			n := len(addresses)
			addresses = append(addresses, fmt.Sprintf("127.80.%d.%d", n/200, 1+n%200))
			fmt.Fprintln(&hosts, addresses[n], h)
		}
	}
	err = os.WriteFile(filepath.Join(s.Work, "hosts"), hosts.Bytes(), 0o666)
	if err != nil {
		return err
	}
	for _, port := range []*int{&s.plain, &s.secure} {
		listeners, err := listenAt(addresses)
		if err != nil {
			return err
		}
		*port = listeners[0].Addr().(*net.TCPAddr).Port
		for _, l := range listeners {
			server := httptest.NewUnstartedServer(s.web)
			server.Listener, server.Config.ErrorLog = l, slog.NewLogLogger(slog.DiscardHandler, 0)
			if port == &s.secure {
				server.StartTLS()
			} else {
				server.Start()
			}
			defer server.Close()
		}
	}
	return f()
}

// judge harvests, and prints a line for each option and epoch.
func (s *attacked) judge(table io.Writer) error {
	var whole [copyweb.Epochs]haul
	for i, options := range append([]string{"prune: never"}, s.Copies...) {
		dir := filepath.Join(s.Work, fmt.Sprintf("%d-%s", s.seed, strings.NewReplacer(" ", "", ":", "-",
			",", "_", "%", "").Replace(options)))
		for epoch := range copyweb.Epochs {
			h, err := s.harvest(dir, options, epoch)
			if err != nil {
				return err
			}
			if i == 0 {
				whole[epoch] = h
			}
			s.compare(table, options, epoch, &whole[epoch], &h)
		}
	}
	return nil
}

// haul is what a run has.
type haul struct {
	asked map[page.URL]bool
	has   map[page.URL]bool // as the web has it
	lines map[page.URL]archive.Skipped
	texts *fours
	files map[string]bool
	// entries of the table of which the copy is the web's original
	turned, entries int
}

// harvest makes one run.
func (s *attacked) harvest(dir, options string, epoch int) (h haul, err error) {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return h, err
	}
	s.web.Go(epoch)
	run := filepath.Join(dir, "web", fmt.Sprintf("run-%04d", epoch+1))
	if _, err := os.Stat(run); err != nil {
		plan := filepath.Join(dir, "plan.yaml")
		if err := os.WriteFile(plan, s.plan(dir, options, epoch), 0o666); err != nil {
			return h, err
		}
		x := exec.Command(s.Program, "harvest", "-q", plan)
		said, err := x.CombinedOutput()
		if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("said-%d", epoch)), said, 0o666); err != nil {
			return h, err
		}
		if _, err2 := os.Stat(filepath.Join(run, "logs", "crawl.log")); err2 != nil {
			return h, fmt.Errorf("%s harvest %s: %w\n%s", s.Program, plan, err, said)
		}
	}
	return s.read(filepath.Join(dir, "web"), run, epoch)
}

// plan is the YAML of a run.
func (s *attacked) plan(dir, options string, epoch int) []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, `harvest: web
operator: {name: Watershed acceptance, contact: "mailto:acceptance@watershed.example"}
politeness: {delay_factor: 0, min_delay: 1ms, address_delay: 0s, crawl_delay_max: 1ms,
  retry: {attempts: 2, delay: 100ms, max_delay: 100ms}}
network:
  hosts_file: ../hosts
  dial_ports: {80: %d, 443: %d}
  allow_private: [127.0.0.0/8]
fetch: {workers: 8}
limits: {free_disk: 0B}
copies: {%s}
archive: {dir: %q}
sites:
`, s.plain, s.secure, options, dir)
	for i, f := range s.web.Families {
		bound := f.Bound()
		var seeds []string
		for _, h := range f.In(epoch) {
			seed := fmt.Sprintf("%q", "http://"+h+f.Entry)
			if seeds = append(seeds, seed); !f.Domain {
				fmt.Fprintf(&b, "  - {name: %s, boundary: %s, seeds: [%s]}\n", h, bound, seed)
			}
		}
		if f.Domain && len(seeds) > 0 {
			fmt.Fprintf(&b, "  - {name: f%d, boundary: %s, seeds: [%s]}\n", i, bound,
				strings.Join(seeds, ", "))
		}
	}
	return b.Bytes()
}

// read reads what a run has, and holds the bodies of its archive against those of the web.
func (s *attacked) read(folder, run string, epoch int) (h haul, err error) {
	h = haul{
		asked: map[page.URL]bool{}, has: map[page.URL]bool{}, lines: map[page.URL]archive.Skipped{},
		texts: newFours(), files: map[string]bool{},
	}
	files, err := filepath.Glob(filepath.Join(run, "archive", "*.warc.gz"))
	if err != nil {
		return h, err
	}
	for _, file := range files {
		if err := s.readFile(file, epoch, &h); err != nil {
			return h, err
		}
	}
	if err := h.readLogs(filepath.Join(run, "logs")); err != nil {
		return h, err
	}
	table, err := harvest.ReadTable(filepath.Join(folder, "replicas.yaml"))
	if err != nil {
		return h, err
	}
	for _, e := range table.InForce([]int{0, 1, 2, 3, 4, 5}) {
		host := e.From
		if !replica.IsHost(host) {
			host = string(page.URL(host).Host())
		}
		h.entries++
		if f := s.web.Family(host); f != nil && f.Hosts[0] == host {
			h.turned++
		}
	}
	return h, nil
}

// readLogs reads what a run asked for, and what it left out.
func (h *haul) readLogs(dir string) error {
	log, err := os.ReadFile(filepath.Join(dir, "crawl.log"))
	if err != nil {
		return err
	}
	for line := range strings.Lines(string(log)) {
		if f := strings.Fields(line); len(f) > 3 {
			h.asked[page.URL(f[3])] = true
		}
	}
	skipped, err := os.ReadFile(filepath.Join(dir, "skipped.jsonl"))
	if err != nil {
		return err
	}
	for line := range bytes.Lines(skipped) {
		var x archive.Skipped
		if err := json.Unmarshal(line, &x); err != nil {
			return err
		}
		if old, told := h.lines[x.URL]; !told || old.Reason == archive.ReasonOutOfScope {
			h.lines[x.URL] = x
		}
	}
	return nil
}

// readFile reads a WARC file.
func (s *attacked) readFile(file string, epoch int, h *haul) (err error) {
	r, err := archive.OpenFile(file)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, r.Close()) }()
	for {
		rec, err := r.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("%s: %w", file, err)
		}
		u, err := rec.URL()
		if err != nil || rec.Type() != "response" && rec.Type() != "revisit" {
			continue
		}
		words, body, ok := s.web.Body(epoch, string(u.Host()), u.PathQuery())
		if !ok {
			continue
		}
		if rec.Header.Get("WARC-Profile") != archive.ProfileNotModified {
			answer, err := http.ReadResponse(bufio.NewReader(rec.Block), nil)
			if err != nil || answer.StatusCode != 200 {
				continue
			}
			if rec.Type() == "revisit" {
				answer.Body = io.NopCloser(bytes.NewReader(body)) // the digest tells
			}
			got, err := io.ReadAll(answer.Body)
			if err != nil {
				return fmt.Errorf("%s: %s: %w", file, u, err)
			}
			if !bytes.Equal(plain(got), plain(body)) {
				fmt.Fprintf(s.out, "%s: the body of %s is not the web's\n", file, u)
				continue
			}
		}
		if h.has[u] {
			continue
		}
		h.has[u] = true
		if words == nil {
			h.files[string(body)] = true
		} else {
			h.texts.add(words)
		}
	}
}

// plain is a body without the number that a counter of visitors shows.
func plain(body []byte) []byte {
	before, after, counts := bytes.Cut(body, []byte(" visitors</p>"))
	if !counts {
		return body
	}
	return slices.Concat(bytes.TrimRight(before, "0123456789"), after)
}

// compare prints what a run lacks that the whole one has.
func (s *attacked) compare(table io.Writer, options string, epoch int, whole, h *haul) {
	lost := map[string]int{}
	silent, unmet, standless, leftOut := 0, 0, 0, 0
	met := s.met(h, epoch)
	tell := func(what string, u page.URL) {
		if s.list != nil {
			x := h.lines[u]
			fmt.Fprintf(s.list, "%d {%s} %d: %s: %s %v %v %v\n", s.seed, options, epoch, what, u,
				s.web.Family(string(u.Host())).Attacks, x.Reason, x.Evidence)
		}
	}
	for _, u := range sortedURLs(whole.has) {
		words, body, _ := s.web.Body(epoch, string(u.Host()), u.PathQuery())
		if !h.has[u] {
			if words == nil && !h.files[string(body)] || words != nil && h.texts.nearest(words) < .8 {
				since := s.since(u, epoch)
				lost[since]++
				tell(fmt.Sprintf("lost, %s (%.2f)", since, h.texts.nearest(words)), u)
			}
		}
		switch x, told := h.lines[u]; {
		case h.asked[u], told && x.Reason != archive.ReasonOutOfScope:
		case met[u]:
			silent++
			tell("without a line", u)
		default:
			unmet++
			tell("not met", u)
		}
	}
	for u, x := range h.lines {
		stand, _ := x.Evidence["representative"].(string)
		if x.Reason != "mirror" && x.Reason != "collection" && x.Reason != "copy" {
			continue
		}
		leftOut++
		if !h.has[page.URL(stand)] {
			standless++
			tell("no stand", u)
		}
	}
	fmt.Fprintf(table, "%d\t%s\t%d\t%d\t%d\t%d\t%d\t%d\t%d\t%d\t%d\t%d\t%d of %d\n", s.seed, options, epoch,
		len(h.asked), len(h.has), leftOut, lost[isHeld], lost[isOther], lost[isNew], silent, unmet, standless,
		h.turned, h.entries)
}

// met are the URLs that a run knows of: those to which its pages lead, and of a page that was left out
// those to which its stand leads as well. No ledger has a line of others: tests of mirrors ask for
// some of these in the harvest that leaves out nothing, pages behind a limit lead to some, and what a copy
// alone has come to lead to, where no sample met the page.
func (s *attacked) met(h *haul, epoch int) map[page.URL]bool {
	met := map[page.URL]bool{}
	for u := range h.has {
		for _, to := range s.linksOf(u, epoch) {
			met[to] = true
		}
	}
	for u, x := range h.lines {
		stand, _ := x.Evidence["representative"].(string)
		if !h.has[page.URL(stand)] {
			continue
		}
		e := replica.Between(x.Rule, u, page.URL(stand))
		lent := map[page.URL]bool{}
		for _, to := range s.linksOf(page.URL(stand), epoch) {
			t, _ := e.Beside(u, page.URL(stand), to)
			lent[t] = true
		}
		for _, to := range s.linksOf(u, epoch) {
			met[to] = met[to] || lent[to]
		}
	}
	return met
}

func (s *attacked) linksOf(u page.URL, epoch int) (list []page.URL) {
	for _, link := range s.web.Links(epoch, string(u.Host()), u.PathQuery()) {
		if to, err := u.Resolve(link); err == nil {
			list = append(list, to)
		}
	}
	return list
}

// These tell a document from what it was in the epoch before.
const (
	isHeld  = "held"
	isOther = "changed" // it is another one now
	isNew   = "new"
)

func (s *attacked) since(u page.URL, epoch int) string {
	if epoch == 0 {
		return isNew
	}
	_, before, was := s.web.Body(epoch-1, string(u.Host()), u.PathQuery())
	_, now, _ := s.web.Body(epoch, string(u.Host()), u.PathQuery())
	switch {
	case !was:
		return isNew
	case bytes.Equal(before, now):
		return isHeld
	}
	return isOther
}

func sortedURLs(set map[page.URL]bool) []page.URL {
	list := make([]page.URL, 0, len(set))
	for u := range set {
		list = append(list, u)
	}
	slices.Sort(list)
	return list
}

// fours holds texts by their sets of four words.
type fours struct {
	seed  maphash.Seed
	sizes []int
	of    map[uint64][]int32
}

func newFours() *fours { return &fours{seed: maphash.MakeSeed(), of: map[uint64][]int32{}} }

func (x *fours) set(words []string) map[uint64]bool {
	set := map[uint64]bool{}
	for i := range max(1, len(words)-3) {
		set[maphash.String(x.seed, strings.Join(words[i:min(len(words), i+4)], " "))] = true
	}
	return set
}

func (x *fours) add(words []string) {
	set := x.set(words)
	for f := range set {
		x.of[f] = append(x.of[f], int32(len(x.sizes)))
	}
	x.sizes = append(x.sizes, len(set))
}

// nearest is the greatest resemblance of a text to one that is held.
func (x *fours) nearest(words []string) (most float64) {
	set, common := x.set(words), map[int32]int{}
	for f := range set {
		for _, t := range x.of[f] {
			common[t]++
		}
	}
	for t, n := range common {
		most = max(most, float64(n)/float64(len(set)+x.sizes[t]-n))
	}
	return most
}
