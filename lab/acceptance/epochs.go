package acceptance

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"time"

	"watershed/lab/testweb"
)

// story is three harvests of a web that changes between them, served as it is at epoch 0, 1 and 2.
// After the first, the mirrors that the web's truth knows are imported; what the harvests find
// themselves is only proposed, as it may be the other way round.
type story struct {
	program, server, web, work string
	port                       int
	out                        io.Writer
}

// Epochs plays the story and judges the recrawls.
type Epochs struct {
	Program string `default:"watershed" placeholder:"FILE"`
	Serve   string `default:"testweb-serve" placeholder:"FILE"`
	Web     string `required:"" placeholder:"DIR"`
	Work    string `required:"" placeholder:"DIR"`
	Port    int    `default:"8899"`
	Judge   bool
}

func (c *Epochs) Run(out io.Writer) error {
	s := story{program: c.Program, server: c.Serve, web: c.Web, work: c.Work, port: c.Port, out: out}
	if !c.Judge {
		if err := s.play(); err != nil {
			return err
		}
	}
	return s.judge(out)
}

func (s *story) path(name string) string { return filepath.Join(s.work, name) }

func (s *story) play() error {
	if err := s.write(); err != nil {
		return err
	}
	for epoch := range 3 {
		if err := s.run(s.server, "-dir", s.web, "-epoch", strconv.Itoa(epoch), "-truth",
			s.path("truth-"+strconv.Itoa(epoch))); err != nil {
			return err
		}
		if err := s.harvest(epoch); err != nil {
			return err
		}
		then := [][]string{{"copies", "import", "story.yaml", "mirrors.csv"}, {"forecast", "story.yaml"}}
		if epoch > 0 {
			then = [][]string{{
				"copies", "list", "story.yaml", "-o",
				fmt.Sprintf("table-%d.csv", epoch),
			}}
		}
		for _, args := range then {
			if err := s.run(s.program, args...); err != nil {
				return err
			}
		}
	}
	return nil
}

// write makes the harvest of all hosts but traps and aliases, a site each, and the table of mirrors
// of levels 1 to 4.
func (s *story) write() error {
	sites := [][]string{{"name", "seed", "boundary"}}
	tables := os.DirFS(s.web)
	err := testweb.Rows(tables, "hosts.tsv", 3, func(f []string) error {
		if f[2] != "trap" && f[2] != "alias" {
			sites = append(sites, []string{f[0], "http://" + f[0] + "/", "host"})
		}
		return nil
	})
	if err != nil {
		return err
	}
	mirrors := [][]string{{"from", "to", "level", "method", "note"}}
	err = testweb.Rows(tables, "mirrors.tsv", 3, func(f []string) error {
		if level, err := strconv.Atoi(f[2]); err == nil && level >= 1 && level <= 4 {
			mirrors = append(mirrors, []string{f[1], f[0], f[2], "hand", ""})
		}
		return nil
	})
	if err != nil {
		return err
	}
	yaml := fmt.Sprintf(`harvest: story
operator: {name: Acceptance, contact: "mailto:acceptance@watershed.example"}
sites:
  - {list: sites.csv}
politeness: {delay_factor: 0, min_delay: 1ms, address_delay: 0ms,
  retry: {attempts: 2, delay: 1s, max_delay: 2s, host_attempts: 4}}
network: {proxy: "http://127.0.0.1:%d"}
limits: {free_disk: 1GB}
copies: {find: propose}
`, s.port)
	return errors.Join(os.MkdirAll(s.work, 0o777), writeRows(s.path("sites.csv"), sites),
		writeRows(s.path("mirrors.csv"), mirrors),
		os.WriteFile(s.path("story.yaml"), []byte(yaml), 0o666))
}

func writeRows(name string, rows [][]string) error {
	f, err := os.Create(name)
	if err != nil {
		return err
	}
	return errors.Join(csv.NewWriter(f).WriteAll(rows), f.Close())
}

// harvest runs the program once, against the web as it is at an epoch.
func (s *story) harvest(epoch int) (err error) {
	address := net.JoinHostPort("127.0.0.1", strconv.Itoa(s.port))
	serve := exec.Command(s.server, "-dir", s.web, "-epoch", strconv.Itoa(epoch), "-addr", address, "-log",
		s.path(fmt.Sprintf("access-%d.tsv", epoch)))
	if err := serve.Start(); err != nil {
		return fmt.Errorf("serve the web: %w", err)
	}
	defer func() {
		err = errors.Join(err, serve.Process.Signal(os.Interrupt))
		// how it ends when it is told to is its own matter
		if e := serve.Wait(); e != nil && !errors.As(e, new(*exec.ExitError)) {
			err = errors.Join(err, e)
		}
	}()
	for range 600 {
		conn, err := net.Dial("tcp", address)
		if err == nil {
			return errors.Join(conn.Close(), s.run(s.program, "harvest", "-q", "story.yaml"))
		}
		time.Sleep(100 * time.Millisecond)
	}
	return fmt.Errorf("the web does not answer at %s", address)
}

func (s *story) run(name string, args ...string) error {
	c := exec.Command(name, args...)
	c.Dir, c.Stdout, c.Stderr = s.work, s.out, os.Stderr
	if err := c.Run(); err != nil {
		return fmt.Errorf("%s %v: %w", filepath.Base(name), args, err)
	}
	return nil
}
