package acceptance

import (
	"bytes"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// written makes a folder of files, named by their paths, and returns it.
func written(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

const (
	firstIndex = `example,acre,www)/ 20260101000000 {"url":"http://www.acre.example/","status":"200",` +
		`"digest":"sha256:a"}
example,acre,www)/q 20260101000000 {"url":"http://www.acre.example/q","status":"200","digest":"sha256:e"}
example,acre,www)/p 20260101000001 {"url":"http://www.acre.example/p","status":"200","digest":"sha256:b"}
example,dns 20260101000001 {"url":"dns:www.acre.example","status":"200","digest":"sha256:c"}
`
	secondIndex = `example,acre,www)/ 20260201000000 {"url":"http://www.acre.example/"}
example,acre,www)/q 20260201000000 {"url":"http://www.acre.example/q","digest":"sha256:e"}
example,acre,www)/p 20260201000001 {"url":"http://www.acre.example/p","status":"404","digest":"sha256:d"}
`
)

func TestCapturesCountWhatTheyVouchFor(t *testing.T) {
	dir := written(t, map[string]string{
		"drill/run-0001/indexes/index.cdxj": firstIndex, "drill/run-0002/indexes/index.cdxj": secondIndex,
		"drill/run-0003/spool/x": "",
	})
	runs, err := site(dir).runs()
	if err != nil || len(runs) != 3 {
		t.Fatal(runs, err)
	}
	a := capture{"http://www.acre.example/", "200", "sha256:a"}
	b := capture{"http://www.acre.example/p", "200", "sha256:b"}
	d := capture{"http://www.acre.example/p", "404", "sha256:d"}
	e := capture{"http://www.acre.example/q", "200", "sha256:e"}
	for from, want := range []map[capture]bool{
		{a: true, b: true, d: true, e: true}, {a: true, d: true, e: true}, {},
	} {
		if got, err := captures(runs, from); err != nil || !maps.Equal(got, want) {
			t.Errorf("from run %d on: %v, %v; want %v", from+1, got, err, want)
		}
	}
	list := lacking(map[capture]bool{a: true, b: true}, map[capture]bool{a: true, d: true})
	if len(list) != 1 || list[0] != b {
		t.Errorf("lacking %v, want %v", list, b)
	}
}

func TestARunBegunAgainUnderItsNumberIsSeen(t *testing.T) {
	dir := written(t, map[string]string{"drill/run-0001/indexes/index.cdxj": firstIndex})
	runs, err := site(dir).runs()
	if err != nil {
		t.Fatal(err)
	}
	for day, want := range map[int]int{1: 1, 2: 0} {
		list, err := reused(runs, time.Date(2026, 1, day, 0, 0, 0, 0, time.UTC))
		if err != nil || len(list) != want {
			t.Errorf("since day %d: %v, %v; want %d runs", day, list, err, want)
		}
	}
}

func TestHarmedFilesAreSeen(t *testing.T) {
	files := map[string]string{
		"drill/run-0001/archive/a.warc.gz": "one", "drill/run-0001/archive/b.warc.gz": "two",
		"drill/run-0001/drill-0001.wacz": "three", "drill/run-0001/indexes/index.cdxj": "four",
	}
	s := site(written(t, files))
	runs, err := s.runs()
	if err != nil {
		t.Fatal(err)
	}
	held, err := deliveredBy(runs)
	if err != nil || len(held) != len(files) {
		t.Fatal(held, err)
	}
	origin := s
	for name, x := range map[string]struct {
		do   func() error
		want int
	}{
		"nothing":     {func() error { return nil }, 0},
		"moved aside": {func() error { return os.Rename(s.harvest(), s.harvest()+".20260101000000") }, 0},
		"one byte": {func() error {
			return os.WriteFile(filepath.Join(runs[0], "archive", "a.warc.gz"), []byte("onE"), 0o666)
		}, 1},
		"a file is gone": {func() error { return os.Remove(filepath.Join(runs[0], "drill-0001.wacz")) }, 1},
		"all of it gone": {func() error { return os.RemoveAll(s.harvest()) }, 4},
		"one file behind": {func() error {
			return os.WriteFile(filepath.Join(runs[0], "archive", "c"), nil, 0o666)
		}, 0},
	} {
		t.Run(name, func(t *testing.T) {
			here := site(t.TempDir())
			if err := copyFolder(string(origin), string(here), rand.New(rand.NewPCG(1, 1)), 0); err != nil {
				t.Fatal(err)
			}
			moved := held.under(origin, here)
			s, runs = here, []string{filepath.Join(here.harvest(), "run-0001")}
			if err := x.do(); err != nil {
				t.Fatal(err)
			}
			if list, err := moved.harmed(here); err != nil || len(list) != x.want {
				t.Errorf("harmed %v, %v; want %d files", list, err, x.want)
			}
		})
	}
}

func TestDamageChangesWhatIsUsed(t *testing.T) {
	text := append(bytes.Repeat([]byte("text "), 2000), make([]byte, 1<<20)...)
	halve := change(func(b []byte, _ *rand.Rand) []byte { return b[:len(b)/2] })
	for name, do := range map[string]damage{
		"flip": flip(64), "halve": halve, "cut": change(shortened), "zeros": change(zeroed),
	} {
		path := filepath.Join(t.TempDir(), "x")
		if err := os.WriteFile(path, text, 0o666); err != nil {
			t.Fatal(err)
		}
		done, err := do(path, rand.New(rand.NewPCG(1, 2)))
		if err != nil || !done {
			t.Fatalf("%s: %v, %v", name, done, err)
		}
		now, err := os.ReadFile(path)
		if err != nil || bytes.Equal(now, text) {
			t.Errorf("%s changes nothing: %v", name, err)
		}
	}
	zeros := filepath.Join(written(t, map[string]string{"x": string(make([]byte, 1000))}), "x")
	if done, err := flip(4)(zeros, rand.New(rand.NewPCG(1, 2))); done || err != nil {
		t.Errorf("a file of zeros was damaged: %v, %v", done, err)
	}
}

func TestSparseCopiesAreWhole(t *testing.T) {
	text := append(append(make([]byte, 300_000), "middle"...), make([]byte, 200_001)...)
	from := written(t, map[string]string{"a/x": string(text), "a/y": "", "z": "end"})
	to := filepath.Join(t.TempDir(), "copy")
	if err := copyFolder(from, to, rand.New(rand.NewPCG(1, 3)), 0); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string][]byte{"a/x": text, "a/y": nil, "z": []byte("end")} {
		if got, err := os.ReadFile(filepath.Join(to, name)); err != nil || !bytes.Equal(got, want) {
			t.Errorf("%s: %d bytes, %v; want %d", name, len(got), err, len(want))
		}
	}
}

// The second epoch edits, takes away and adds; what it does not touch has the same bytes.
func TestEpochsOfTheDrillsWeb(t *testing.T) {
	w := &drillWeb{pages: 50}
	var counts [3]int
	for n := 1; n <= w.pages; n++ {
		path := "/p/" + string(rune('0'+n/10)) + string(rune('0'+n%10)) + ".html"
		w.epoch.Store(0)
		status, _, before := w.answer("www.acre.example", path)
		_, _, again := w.answer("www.acre.example", path)
		if status != 200 || !bytes.Equal(before, again) {
			t.Fatalf("%s: %d, %d and %d bytes", path, status, len(before), len(again))
		}
		w.epoch.Store(1)
		status, _, after := w.answer("www.acre.example", path)
		switch {
		case status == 404:
			counts[gone]++
		case bytes.Equal(before, after):
			counts[same]++
		default:
			counts[edited]++
		}
	}
	if counts[same] < 30 || counts[edited] == 0 || counts[edited]+counts[gone] > 20 {
		t.Errorf("same, edited, gone: %v", counts)
	}
	status, _, _ := w.answer("www.acre.example", "/n/1.html")
	w.epoch.Store(0)
	if first, _, _ := w.answer("www.acre.example", "/n/1.html"); status != 200 || first != 404 {
		t.Errorf("news in the epochs: %d, %d", first, status)
	}
}

func TestAdviceIsUnderstood(t *testing.T) {
	dir := written(t, map[string]string{"drill/state/MANIFEST": "x", "drill/run-0001/x": ""})
	s, d := site(dir), &drill{table: map[string]*row{}}
	for _, x := range []struct{ said, want string }{
		{"watershed: something\n", "harvest " + s.yaml()},
		{"watershed: x; begin anew with --fresh", "harvest --fresh " + s.yaml()},
		{
			"see watershed copies list y.yaml\nwatershed: cannot; run `watershed state rebuild " +
				"a.yaml` first",
			"state rebuild a.yaml",
		},
		{
			"watershed: open state " + s.state() + ": damaged (move this folder away and start again)",
			"harvest " + s.yaml(),
		},
	} {
		args, err := d.advised(d.row("x"), s, outcome{code: 9, said: x.said}, 0)
		if got := strings.Join(args, " "); err != nil || got != x.want {
			t.Errorf("%q: %q, %v; want %q", x.said, got, err, x.want)
		}
	}
	if _, err := os.Stat(filepath.Join(dir, "drill.away-0", "MANIFEST")); err != nil {
		t.Error(err)
	}
}

// TestDrill runs a small drill, and one of ten attacks, with the finished programs, so that the drill's
// commands are those that the programs have.
func TestDrill(t *testing.T) {
	if testing.Short() {
		t.Skip("builds both programs, and kills harvests for some seconds")
	}
	bin := t.TempDir()
	build := exec.CommandContext(t.Context(), "go", "build", "-o", bin, "watershed/cmd/watershed",
		"watershed/cmd/lab")
	if said, err := build.CombinedOutput(); err != nil {
		t.Fatalf("build the programs: %v\n%s", err, said)
	}
	run := exec.CommandContext(t.Context(), filepath.Join(bin, "lab"), "drill", "--short", "--kills", "75",
		"--only", "kill", "--program", filepath.Join(bin, "watershed"), "--work", filepath.Join(bin, "work"))
	said, err := run.CombinedOutput()
	if err != nil {
		t.Fatalf("the drill: %v\n%s", err, said)
	}
	for _, step := range []string{"crawl", "decide", "import", "extend", "recrawl", "analyze"} {
		if !strings.Contains(string(said), "kill "+step+" …then let to its end") {
			t.Errorf("the drill killed no %s:\n%s", step, said)
		}
	}
	run = exec.CommandContext(t.Context(), filepath.Join(bin, "lab"), "ten", "--program",
		filepath.Join(bin, "watershed"), "--match", "10 FIFO")
	if said, err := run.CombinedOutput(); err != nil || !strings.Contains(string(said), "held") {
		t.Errorf("one of ten attacks: %v\n%s", err, said)
	}
}
