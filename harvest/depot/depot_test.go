//go:build unix

package depot

import (
	"context"
	"errors"
	"net/netip"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"watershed/configs"
)

const yaml = `harvest: NAME
operator: {name: Archive, contact: "mailto:a@archive.example"}
sites: [{name: a, seeds: ["http://a.example/"]}]
archive: {dir: .}
`

func yamlOf(name string) string { return strings.Replace(yaml, "NAME", name, 1) }

// open keeps a new folder whose program is a script.
func open(t *testing.T, script string) *Depot {
	t.Helper()
	program := filepath.Join(t.TempDir(), "program")
	if err := os.WriteFile(program, []byte("#!/bin/sh\n"+script), 0o700); err != nil {
		t.Fatal(err)
	}
	d, err := Open(Options{
		Dir: t.TempDir(), Program: program, Orderly: []int{0},
		Private:  []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")},
		Operator: configs.Operator{Name: "Archive", Contact: "mailto:a@archive.example"},
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = d.Close() })
	return d
}

func write(t *testing.T, d *Depot, file, text string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(d.Dir(), file), []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
}

// until waits for what another process does.
func until(t *testing.T, what string, is func() bool) {
	t.Helper()
	for end := time.Now().Add(time.Minute); !is(); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("%s: not within a minute", what)
		}
	}
}

// TestNamesStayInside: no name that is given leads out of the folder, and nothing that is there is
// written over.
func TestNamesStayInside(t *testing.T) {
	d := open(t, "")
	outside := t.TempDir()
	secret := filepath.Join(outside, "secret.yaml")
	if err := os.WriteFile(secret, []byte(yamlOf("secret")), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, to := range map[string]string{
		"file.yaml": secret, "gone.yaml": filepath.Join(outside, "new"), "folder": outside,
	} {
		if err := os.Symlink(to, filepath.Join(d.Dir(), name)); err != nil {
			t.Fatal(err)
		}
	}
	write(t, d, "there.yaml", yamlOf("there"))
	for _, name := range []string{
		"../x", "..", "a/b", "/tmp/x", ".hidden", `a\b`, "file", "gone", "folder", "there", "",
	} {
		if got, err := d.Create(yamlOf(`"` + strings.ReplaceAll(name, `\`, `\\`) + `"`)); err == nil {
			t.Errorf("%q: written as %s", name, got)
		}
	}
	list, err := d.List()
	if err != nil {
		t.Fatal(err)
	}
	for _, h := range list {
		if h.Name != "there" && h.Err == nil {
			t.Errorf("%s is read from outside: %+v", h.File, h.Config)
		}
	}
	if err := d.Start(t.Context(), "file", How{}); !errors.Is(err, ErrBroken) {
		t.Errorf("a YAML outside is begun: %v", err)
	}
	for _, name := range []string{"../there", "there.yaml", "secret", ""} {
		if _, err := d.Text(name); !errors.Is(err, ErrUnknown) {
			t.Errorf("%q: %v", name, err)
		}
	}
	if found, err := os.ReadDir(outside); err != nil || len(found) != 1 {
		t.Errorf("outside lies %v, %v", found, err)
	}
	name, err := d.Create(yamlOf("new"))
	if err != nil || name != "new" {
		t.Fatalf("%q, %v", name, err)
	}
	if _, err := d.Create(yamlOf("new")); !errors.Is(err, ErrThere) {
		t.Errorf("written over: %v", err)
	}
}

// TestReplace: only who has seen a YAML as it stands replaces it, by one of the same name.
func TestReplace(t *testing.T) {
	d := open(t, "")
	if _, err := d.Create(yamlOf("a")); err != nil {
		t.Fatal(err)
	}
	seen, err := d.Text("a")
	if err != nil {
		t.Fatal(err)
	}
	browsers := strings.ReplaceAll(seen, "\n", "\r\n")
	if err := d.Replace("a", Mark(browsers), browsers+"limits: {pages: 5}\n"); err != nil {
		t.Fatal(err)
	}
	if err := d.Replace("a", Mark(seen), seen); !errors.Is(err, ErrChanged) {
		t.Errorf("a change by another hand is lost: %v", err)
	}
	now, err := d.Text("a")
	if err != nil || !strings.Contains(now, "pages: 5") {
		t.Errorf("%v: %s", err, now)
	}
	var list configs.Errors
	if err := d.Replace("a", Mark(now), yamlOf("b")); !errors.As(err, &list) || list[0].Hint == "" {
		t.Errorf("renamed: %v", err)
	}
	if err := d.Replace("none", "", yamlOf("none")); !errors.Is(err, ErrUnknown) {
		t.Errorf("%v", err)
	}
	if _, err := d.Create(yamlOf("b")); err != nil {
		t.Fatal(err)
	}
	broken := "harvest: ["
	write(t, d, "a.yaml", broken)
	if err := os.Mkdir(filepath.Join(d.Dir(), "c"), 0o777); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"b", "c"} {
		if err := d.Replace("a", Mark(broken), yamlOf(name)); !errors.Is(err, ErrThere) {
			t.Errorf("a broken YAML becomes %s: %v", name, err)
		}
	}
	if text, err := d.Text("b"); err != nil || text != yamlOf("b") {
		t.Errorf("%v: %s", err, text)
	}
	if err := d.Replace("a", Mark(broken), now); err != nil {
		t.Errorf("not mended: %v", err)
	}
	if err := os.Remove(filepath.Join(d.Dir(), "b.yaml")); err != nil {
		t.Fatal(err)
	}
	write(t, d, "copy.yaml", now)
	harvests, err := d.List()
	if err != nil || len(harvests) != 2 || harvests[0].Err != nil || harvests[1].Err == nil {
		t.Errorf("two of one name: %+v, %v", harvests, err)
	}
}

// TestListChanges: a YAML is read anew when a list of sites that it names comes, changes or goes.
func TestListChanges(t *testing.T) {
	d := open(t, "")
	list := filepath.Join(d.Dir(), "list.txt")
	site := `name: a, seeds: ["http://a.example/"]`
	write(t, d, "a.yaml", strings.Replace(yamlOf("a"), site, "list: list.txt", 1))
	const first = "http://a.example/\n"
	for i, text := range []string{"", first, first + "no address\n", "http://b.example/\n"} {
		if text != "" {
			write(t, d, "list.txt", text)
		}
		got, err := d.List()
		if err != nil || len(got) != 1 || (got[0].Err == nil) != (i%2 == 1) {
			t.Fatalf("%d: %+v, %v", i, got, err)
		}
	}
	if err := os.Remove(list); err != nil {
		t.Fatal(err)
	}
	if got, err := d.List(); err != nil || len(got) != 1 || got[0].Err == nil {
		t.Errorf("%+v, %v", got, err)
	}
}

// TestStart: a harvest is begun once at a time, goes on when the depot ends, and how it failed is
// told.
func TestStart(t *testing.T) {
	d := open(t, `echo "$@" >> args
case "$*" in *bad.yaml) echo line 1 >&2; echo "it cannot be" >&2; exit 9;; esac
trap 'echo hup >> args' HUP INT
while [ ! -e go ]; do sleep 0.05; done
echo done >> args
`)
	write(t, d, "good.yaml", yamlOf("good"))
	write(t, d, "bad.yaml", yamlOf("bad"))
	write(t, d, "wrong.yaml", "harvest: 1")
	start := func(name string, how How, want error) {
		t.Helper()
		if err := d.Start(t.Context(), name, how); !errors.Is(err, want) {
			t.Errorf("%s: %v, want %v", name, err, want)
		}
	}
	start("good", How{Look: 7}, nil)
	start("good", How{}, ErrUnderWay)
	start("wrong", How{}, ErrBroken)
	start("none", How{}, ErrUnknown)
	start("bad", How{Extend: true}, nil)
	until(t, "the failure is told", func() bool {
		h, err := d.find("bad")
		return err == nil && h.Start.Ended
	})
	h, err := d.find("bad")
	if err != nil || !h.Start.Wrong || h.Start.Code != 9 || h.Start.Said != "line 1\nit cannot be" {
		t.Errorf("%+v, %v", h.Start, err)
	}
	if _, err := Open(d.options); !errors.Is(err, ErrTaken) {
		t.Errorf("a second one keeps the folder: %v", err)
	}
	dir := d.Dir()
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
	again, err := Open(d.options)
	if err != nil {
		t.Fatal(err)
	}
	defer again.Close()
	if err := os.WriteFile(filepath.Join(dir, "go"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	var lines []string
	until(t, "it goes on", func() bool {
		text, err := os.ReadFile(filepath.Join(dir, "args"))
		lines = strings.Split(strings.TrimSpace(string(text)), "\n")
		return err == nil && slices.Contains(lines, "done")
	})
	slices.Sort(lines)
	want := []string{
		"done", "harvest --quiet --extend -- " + filepath.Join(dir, "bad.yaml"),
		"harvest --quiet --look 7 -- " + filepath.Join(dir, "good.yaml"),
	}
	if !slices.Equal(lines, want) {
		t.Errorf("%q, want %q", lines, want)
	}
}

// TestDraft: what is pasted becomes a YAML that is in order, or a line is named.
func TestDraft(t *testing.T) {
	d := open(t, "")
	d.lookUp = func(_ context.Context, _, host string) ([]netip.Addr, error) {
		return map[string][]netip.Addr{
			"intranet.example": {netip.MustParseAddr("::ffff:127.0.0.9")},
			"printer.example":  {netip.MustParseAddr("10.0.0.1")},
		}[host], nil
	}
	for _, test := range []struct{ name, pasted, want, wrong string }{
		{"private by name", "http://intranet.example/", "allow_private:\n    - \"127.0.0.0/8\"\n", ""},
		{"private by name, not allowed", "http://printer.example/", "beside this file\n", ""},
		{"address", "https://www.example.org/a/", "harvest: www.example.org-a", ""},
		{"bare host", " example.org\n\nexample.org/b ", "https://example.org/b", ""},
		{"words", "a.example, b.example", "https://b.example", ""},
		{"seeds of Heritrix", "# mine\nexample.org\n+http://(org,example,sub,)/\n", "include:", ""},
		{"Browsertrix", "seeds:\n  - url: https://a.example/\n    scopeType: prefix\n", "a.example/", ""},
		{"own", yamlOf("own"), "harvest: own", ""},
		{"private", "http://127.0.0.1:80/", "127.0.0.0/8", ""},
		{"private, not allowed", "http://10.0.0.1/", "", "--allow-private 10.0.0.1/32"},
		{"no address", "https://a.example/\nhello", "", "line 2"},
		{"nothing", " \n", "", "no address"},
		{"password", "https://u:p@a.example/", "", "with a user name"},
		{"other scheme", "file:///etc/passwd", "", "no web address"},
		{"script", "javascript:alert(1)", "", "no web address"},
	} {
		t.Run(test.name, func(t *testing.T) {
			text, _, err := d.Draft(t.Context(), test.pasted, "", "")
			switch {
			case test.wrong != "" && (err == nil || !strings.Contains(err.Error(), test.wrong)):
				t.Errorf("%v, want %q", err, test.wrong)
			case test.wrong != "":
			case err != nil || !strings.Contains(text, test.want):
				t.Errorf("%v: %s", err, text)
			default:
				if _, err := d.Check(text); err != nil {
					t.Errorf("%v\n%s", err, text)
				}
			}
		})
	}
	text, _, err := d.Draft(t.Context(), "a.example", "mine", "ann@library.example")
	if err != nil || !strings.Contains(text, "harvest: mine\n") ||
		!strings.Contains(text, "mailto:ann@library.example") {
		t.Errorf("%v: %s", err, text)
	}
}

// TestScheduleAfterAWrongClock: a file that was written while a clock was years ahead does not keep a
// schedule from its next time, and begins nothing by itself.
func TestScheduleAfterAWrongClock(t *testing.T) {
	d := open(t, "")
	clock := time.Now().Add(time.Second)
	d.options.Now = func() time.Time { return clock }
	ahead := clock.AddDate(9, 0, 0)
	for _, told := range []string{"", `{"time":"` + ahead.Format(time.RFC3339) + `"}`} {
		write(t, d, "a.yaml", yamlOf("a")+"schedule: 0 * * * *\n")
		if err := os.Chtimes(filepath.Join(d.Dir(), "a.yaml"), ahead, ahead); err != nil {
			t.Fatal(err)
		}
		if told != "" {
			if err := os.MkdirAll(filepath.Join(d.Dir(), "a", "run-0001"), 0o777); err != nil {
				t.Fatal(err)
			}
			write(t, d, "a/run-0001/status.json", told)
		}
		h, err := d.find("a")
		if err != nil || h.Next.Before(clock) || h.Next.Sub(clock) > time.Hour {
			t.Errorf("status %q: next is %s, %v, at %s", told, h.Next, err, clock)
		}
	}
}

// TestSchedule walks a clock over two harvests with schedules: times are kept, made up for once where
// they were missed, left out during a run, and taken one after the other.
func TestSchedule(t *testing.T) {
	d := open(t, `name=$(basename "$4" .yaml); echo "$name" >> begun
mkdir -p "$name/run-0001"; touch "$name/on"
while [ -e "$name/on" ]; do sleep 0.02; done
`)
	clock := time.Date(2026, 11, 23, 12, 0, 0, 0, time.UTC) // a Monday
	d.options.Now = func() time.Time { return clock }
	keep := func(file, text string, at time.Time) {
		t.Helper()
		write(t, d, file, text)
		if err := os.Chtimes(filepath.Join(d.Dir(), file), at, at); err != nil {
			t.Fatal(err)
		}
	}
	begun := func() int {
		text, err := os.ReadFile(filepath.Join(d.Dir(), "begun"))
		if err != nil && !errors.Is(err, os.ErrNotExist) {
			t.Fatal(err)
		}
		return strings.Count(string(text), "\n")
	}
	// step sets the clock, looks what is due, and wants so many runs begun since the test began.
	step := func(what, at string, want int) {
		t.Helper()
		var err error
		if clock, err = time.Parse(time.RFC3339, at); err != nil {
			t.Fatal(err)
		}
		if err := d.begin(t.Context()); err != nil {
			t.Errorf("%s: %v", what, err)
		}
		until(t, what, func() bool { return begun() >= want })
		if got := begun(); got != want {
			t.Errorf("%s: %d runs were begun, want %d", what, got, want)
		}
	}
	// end has the run of a harvest end, which it tells of at a time; state is part of what it tells.
	end := func(name, at, state string) {
		t.Helper()
		folder := filepath.Join(d.Dir(), name)
		until(t, "it is on", func() bool {
			_, err := os.Stat(filepath.Join(folder, "on"))
			return err == nil
		})
		write(t, d, name+"/run-0001/status.json", `{"phase":"finished",`+state+`"time":"`+at+`"}`)
		if state != "" {
			return
		}
		if err := os.Remove(filepath.Join(folder, "on")); err != nil {
			t.Fatal(err)
		}
		until(t, "it has ended", func() bool {
			h, err := d.find(name)
			return err == nil && h.Start.Ended
		})
	}
	next := func(name, want string) {
		t.Helper()
		h, err := d.find(name)
		if err != nil || h.Next.Format(time.RFC3339) != want {
			t.Errorf("%s: next %s, %v, want %s", name, h.Next, err, want)
		}
	}
	keep("a.yaml", yamlOf("a")+"schedule: 0 3 * * *\n", clock)
	keep("b.yaml", yamlOf("b")+"schedule: 30 3 * * *\n", clock)
	keep("none.yaml", yamlOf("none"), clock)
	next("a", "2026-11-24T03:00:00Z")
	step("nothing is due", "2026-11-24T02:59:00Z", 0)
	step("a is due", "2026-11-24T03:00:10Z", 1)
	step("b waits for a", "2026-11-24T03:30:10Z", 1)
	end("a", "2026-11-24T04:00:00Z", "")
	step("b is begun when a has ended", "2026-11-24T04:00:10Z", 2)
	next("b", "2026-11-25T03:30:00Z")
	step("a waits for b", "2026-11-25T03:00:10Z", 2)
	end("b", "2026-11-25T03:10:00Z", `"Held":true,`)
	step("a does not wait for one that is paused", "2026-11-25T03:10:10Z", 3)
	end("a", "2026-11-25T03:20:00Z", "")
	step("a time of a run under way is left out", "2026-11-25T03:30:10Z", 3)
	next("b", "2026-11-26T03:30:00Z")
	end("b", "2026-11-25T04:00:00Z", "")
	step("nothing is made up for that was left out", "2026-11-25T12:00:00Z", 3)
	step("many missed times of two are made up for once: first a", "2026-12-05T12:00:00Z", 4)
	end("a", "2026-12-05T12:10:00Z", "")
	step("then b", "2026-12-05T12:10:10Z", 5)
	end("b", "2026-12-05T12:20:00Z", "")
	step("and no more", "2026-12-05T12:30:00Z", 5)
	keep("a.yaml", yamlOf("a")+"schedule: 0 * * * *\n", clock)
	next("a", "2026-12-05T13:00:00Z")
	keep("a.yaml", "harvest: a\nschedule: 0 * * * *\n", clock)
	step("a YAML that is not in order begins nothing", "2026-12-05T13:00:10Z", 5)
	keep("a.yaml", yamlOf("a"), clock)
	step("nor does one whose rule was taken away", "2026-12-05T14:00:10Z", 5)
}

// TestSharedSchedule: a schedule begins no run of what machines of a cluster harvest.
func TestSharedSchedule(t *testing.T) {
	d := open(t, "")
	write(t, d, "whole.yaml", yamlOf("whole")+"schedule: \"0 * * * *\"\n")
	for _, shared := range []bool{false, true} {
		list, err := d.List()
		if err != nil || len(list) != 1 || list[0].Next.IsZero() != shared {
			t.Fatalf("machines harvest it: %v; %v, %+v", shared, err, list)
		}
		if err := os.MkdirAll(list[0].Folder.Round(1), 0o777); err != nil {
			t.Fatal(err)
		}
	}
}

// TestShards: of a harvest that machines share the shards of this one are listed, not the whole, and
// none is begun from here, by a schedule neither.
func TestShards(t *testing.T) {
	d := open(t, "")
	text := yamlOf("whole") + "schedule: \"0 * * * *\"\n"
	write(t, d, "whole.yaml", text)
	whole, err := configs.Compose("whole.yaml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	shard := whole.Sites[0].ShardOf(configs.Shards)
	part := (&configs.Shard{Shard: shard, Count: configs.Shards, Of: "whole.yaml", Dir: "."}).YAML()
	write(t, d, "part.yaml", string(part))
	if _, err := configs.Confined(d.path("part.yaml"), part, nil); err == nil {
		t.Error("a browser writes the YAML of a shard")
	}
	list, err := d.List()
	if err != nil || len(list) != 1 {
		t.Fatalf("%v: %+v", err, list)
	}
	h := list[0]
	if want := configs.ShardName("whole", shard); h.Err != nil || h.Name != want || !h.Next.IsZero() {
		t.Errorf("%+v, want %s in order and without a schedule", h, want)
	}
	if err := d.Start(t.Context(), h.Name, How{}); !errors.Is(err, ErrShard) {
		t.Errorf("a shard is begun: %v", err)
	}
}
