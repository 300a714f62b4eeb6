package configs

import (
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"watershed/page"
)

// The reference has every option of the structs, no other, and a comment on each. Its values are the
// defaults, but for its examples.
func TestReference(t *testing.T) {
	h, err := Parse("reference.yaml", Reference())
	if err != nil {
		t.Fatal(err)
	}
	written := comments(string(Reference()))
	for _, key := range Keys() {
		if text, ok := written[key]; !ok && !strings.HasSuffix(key, "[]") {
			t.Errorf("reference.yaml lacks %s", key)
		} else if text == "" && !strings.HasSuffix(key, "[]") {
			t.Errorf("reference.yaml says nothing of %s", key)
		}
	}
	for _, o := range h.Effective() {
		if o.Origin == originDefault {
			t.Errorf("reference.yaml does not set %s", o.Key)
		}
	}
	plain, err := Parse("h.yaml", []byte(head))
	if err != nil {
		t.Fatal(err)
	}
	blank := []string{`""`, "[]", "{}"}
	nothing := regexp.MustCompile(`^(none|nobody|the first that is found|\[])`)
	for _, o := range plain.Effective() {
		key := strings.ReplaceAll(o.Key, "[0]", "[]")
		_, said, ok := strings.Cut(written[key], "Default: ")
		empty := slices.Contains(blank, o.Value)
		if o.Origin != originDefault || strings.HasSuffix(key, "]") || !ok && empty {
			continue
		}
		rest, same := strings.CutPrefix(said, o.Value)
		if empty {
			rest, same = "", nothing.MatchString(said)
		}
		if !same || rest != "" && !strings.ContainsAny(rest[:1], " .,;:") {
			t.Errorf("the default of %s is %s, and reference.yaml says: %s", key, o.Value, said)
		}
	}
	fallback := Default()
	for key, equal := range map[string]bool{
		"copies.skip": slices.Equal(fallback.Copies.Skip, []int{0, 1, 2, 3, 4}),
		"notify.on":   len(fallback.Notify.On) == len(News("").Values()),
		"upload.what": len(fallback.Upload.What) == len(UploadPart("").Values()),
	} {
		if !equal {
			t.Errorf("the default of %s is not what reference.yaml says", key)
		}
	}
}

const head = "harvest: gemo\noperator:\n  name: Library\n  contact: mailto:a@b.example\nsites:\n  - name: " +
	"Gemo\n    seeds: [http://www.gemo.example/]\n"

func TestMistakes(t *testing.T) {
	tests := []struct{ name, text, place, say string }{
		{"unknown key", head + "politeness:\n  min_dealy: 2s\n", "h.yaml:9:3", "min_delay"},
		{"unknown key at the top", head + "polites: {}\n", "h.yaml:8:1", "politeness"},
		{"a word of keys", head + "politeness:\n  delay: 2s\n", "h.yaml:9:3", "delay_factor, min_delay"},
		{"wrong type", head + "fetch:\n  workers: many\n", "h.yaml:9:12", "many"},
		{"bad duration", head + "politeness:\n  min_delay: 2 parsecs\n", "h.yaml:9:14", "parsecs"},
		{"span without a unit", head + "politeness:\n  min_delay: 2\n", "h.yaml:9:14", ""},
		{"bad size", head + "limits:\n  bytes: 20 apples\n", "h.yaml:9:10", "apples"},
		{"duplicate key", head + "harvest: again\n", "h.yaml:8:1", "harvest"},
		{"tab", "harvest: a\n\toperator: b\n", "h.yaml:2", ""},
		{"bad seed", "harvest: gemo\noperator:\n  name: L\n  contact: mailto:a@b.example\nsites:\n  - " +
			"name: G\n    seeds: [\"ftp://x.example/\"]\n", "h.yaml:7:13", "ftp"},
		{
			"bad rule", strings.TrimSuffix(head, "\n") + "\n    include: [\"hots:a.example\"]\n",
			"h.yaml:8:15", "host",
		},
		{
			"bad expression", strings.TrimSuffix(head, "\n") + "\n    exclude: [\"regex:(\"]\n",
			"h.yaml:8:15", "",
		},
		{
			"lookaround", strings.TrimSuffix(head, "\n") + "\n    exclude: [\"regex:(?!x)\"]\n",
			"h.yaml:8:15", "RE2",
		},
		{
			"line of a SURT file", strings.TrimSuffix(head, "\n") +
				"\n    include: [\"surt:+http://(org,\"]\n",
			"h.yaml:8:15", "without the +",
		},
		{"colon in a text", strings.Replace(head, "Library", "Library: of X", 1), "h.yaml:3:9", "quotes"},
		{
			"no end of a quotation", strings.Replace(head, "Library", "\"Library", 1), "h.yaml:3:9",
			"has no end",
		},
		{
			"no end of another quotation", strings.Replace(head, "Library", "'Library", 1),
			"h.yaml:3:9", "twice",
		},
		{
			"include that takes nothing in", strings.TrimSuffix(head, "\n") +
				"\n    include: [\"host:b.example\", \"prefix:http://a.example/x/y/\"]\n" +
				"    exclude: [\"prefix:http://a.example/x/\"]\n",
			"h.yaml:8:33", "prefix:http://a.example/x/ keeps all of that out, at h.yaml:9:15",
		},
		{
			"two lists of rules", strings.TrimSuffix(head, "\n") +
				"\n    include: [\"url:http://a.example/x\"]\n    include: [\"url:http://a.example/y\"]\n",
			"h.yaml:9:5", "in line 8: write what is in both into one list",
		},
		{
			"rule under both", strings.TrimSuffix(head, "\n") +
				"\n    include: [\"regex:a$\"]\n    exclude: [\"regex:a$\"]\n",
			"h.yaml:8:15", "h.yaml:9:15",
		},
		{"no end of a brace", "{harvest: x", "h.yaml:1:1", "has no end"},
		{"another column", head + "   limits: {pages: 1}\n", "h.yaml:8:4", "column"},
		{
			"empty item", strings.Replace(head, "[http://www.gemo.example/]", "\n      -", 1), "h.yaml:8:9",
			"take the line away",
		},
		{
			"no such word", strings.TrimSuffix(head, "\n") + "\n    boundary: logicl\n",
			"h.yaml:8:15", "logical",
		},
		{
			"no operator", "harvest: gemo\nsites:\n  - name: G\n    seeds: [http://a.example/]\n",
			"h.yaml", "operator",
		},
		{"no contact", "harvest: gemo\noperator:\n  name: L\nsites:\n  - name: G\n    seeds: " +
			"[http://a.example/]\n", "h.yaml", "contact"},
		{
			"no site", "harvest: gemo\noperator:\n  name: L\n  contact: mailto:a@b.example\n",
			"h.yaml", "sites",
		},
		{"bad share", head + "copies:\n  pages: 120%\n", "h.yaml:9:10", "between"},
		{"no level", head + "copies:\n  skip: [1, 7]\n", "h.yaml:9:13", "7"},
		{"bad alias", head + "copies:\n  aliases: [\"a.example\"]\n", "h.yaml:9:13", "alias = host"},
		{"found without sketches", head + "copies:\n  sketch: false\n", "h.yaml:9:11", "find"},
		{
			"two sites of one name", head + "  - name: Gemo\n    seeds: [http://b.example/]\n",
			"h.yaml:8", "Gemo",
		},
		{
			"a name that is no file name", strings.Replace(head, "harvest: gemo", "harvest: ../gemo", 1),
			"h.yaml:1", "harvest",
		},
		{
			"robots ignored without a reason", head + "politeness:\n  robots: ignore\n", "h.yaml:9",
			"robots_reason",
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := Parse("h.yaml", []byte(tt.text))
			if err == nil {
				t.Fatal("it is taken for good")
			}
			if got := err.Error(); !strings.Contains(got, tt.place) || !strings.Contains(got, tt.say) {
				t.Errorf("want %s and %q in:\n%s", tt.place, tt.say, got)
			}
		})
	}
}

// All mistakes of a file are told at once.
func TestAllMistakes(t *testing.T) {
	_, err := Parse("h.yaml", []byte(head+"politeness:\n  min_dealy: 2s\nlimits:\n  bytes: apples\n"))
	var all Errors
	if !errors.As(err, &all) || len(all) != 2 {
		t.Errorf("want 2 mistakes: %v", err)
	}
}

func TestLists(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		return path
	}
	write("sites.txt", "# comment\nhttp://a.example/\n\nhttp://b.example/x/\n")
	write("sites.csv", "name,seed,boundary\nA,http://a.example/,host\nB,http://b.example/,\n")
	base := "harvest: gemo\noperator:\n  name: L\n  contact: mailto:a@b.example\nsites:\n"
	for _, list := range []string{"sites.txt", "sites.csv"} {
		h, err := Load(write("h.yaml", base+"  - list: "+list+"\n    boundary: prefix\n"))
		if err != nil {
			t.Fatal(err)
		}
		if len(h.Sites) != 2 || h.Sites[0].Seeds[0] != "http://a.example/" ||
			h.Sites[1].Boundary != BoundaryPrefix {
			t.Errorf("%s: %+v", list, h.Sites)
		}
	}
	write("bad.csv", "name,seed\nA,ftp://a.example/\n")
	if _, err := Load(write("h.yaml", base+"  - list: bad.csv\n")); err == nil ||
		!strings.Contains(err.Error(), "bad.csv:2") {
		t.Errorf("a bad line of a list: %v", err)
	}
}

// A table sets what its columns say; the rest is that of the entry. Where each value comes from is
// told.
func TestTable(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"h.yaml": head + "  - list: more.csv\n    boundary: host\n    exclude: [\"domain:ads.example\"]\n  " +
			"  limits: {pages: 10}\n",
		"more.csv": "\ufeff# of the newspapers' " +
			"list\nname;seed;boundary;keyword;characteristic;include;exclude;pages;bytes;depth\n" +
			"A;http://a.example/ " +
			"http://a2.example/;prefix;alpha;http://a.example/x;host:b.example;\"regex:;\";7;1GB;3\n" +
			"B;http://b.example/;;;;;;;;\n\nB;http://b2.example/;;;;;;;;\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	h, err := Load(filepath.Join(dir, "h.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]string{}
	for _, o := range h.Effective() {
		if strings.HasPrefix(o.Key, "sites[") {
			got[o.Key] = o.Value + " " + strings.ReplaceAll(o.Origin, dir+string(filepath.Separator), "")
		}
	}
	for key, want := range map[string]string{
		"sites[0].name":              "Gemo h.yaml:6",
		"sites[0].limits.pages":      "50000 default",
		"sites[1].name":              "A more.csv:3",
		"sites[1].seeds[1]":          "http://a2.example/ more.csv:3",
		"sites[1].boundary":          "prefix more.csv:3",
		"sites[1].keyword":           "alpha more.csv:3",
		"sites[1].characteristic[0]": "http://a.example/x more.csv:3",
		"sites[1].include[0]":        "host:b.example more.csv:3",
		"sites[1].exclude[0]":        "domain:ads.example h.yaml:10",
		"sites[1].exclude[1]":        "regex:; more.csv:3",
		"sites[1].limits.pages":      "7 more.csv:3",
		"sites[1].limits.bytes":      "1GB more.csv:3",
		"sites[1].limits.depth":      "3 more.csv:3",
		"sites[2].name":              "B more.csv:4",
		"sites[2].seeds[0]":          "http://b.example/ more.csv:4",
		"sites[2].seeds[1]":          "http://b2.example/ more.csv:6",
		"sites[2].boundary":          "host h.yaml:9",
		"sites[2].exclude[0]":        "domain:ads.example h.yaml:10",
		"sites[2].limits.pages":      "10 h.yaml:11",
		"sites[2].limits.depth":      "20 default",
	} {
		if got[key] != want {
			t.Errorf("%s is %q, want %q", key, got[key], want)
		}
	}
	if len(h.Sites) != 3 {
		t.Errorf("%d sites", len(h.Sites))
	}
	if p, ok := h.Where("sites[1].limits.pages"); !ok || p.Column != 97 {
		t.Errorf("the cell is at %v, %v", p, ok)
	}
}

// A file that is to be read and is not there is told with its place in the YAML.
func TestMissingFiles(t *testing.T) {
	name := filepath.Join(t.TempDir(), "h.yaml")
	for _, key := range []string{"network: {hosts_file: nowhere}", "copies: {table: nowhere}"} {
		if err := os.WriteFile(name, []byte(head+key+"\n"), 0o666); err != nil {
			t.Fatal(err)
		}
		if _, err := Load(name); err == nil || !strings.Contains(err.Error(), "h.yaml:8:") ||
			!strings.Contains(err.Error(), "nowhere") {
			t.Errorf("%s: %v", key, err)
		}
	}
}

// Relative paths count from the folder of the file.
func TestPaths(t *testing.T) {
	h, err := Parse(filepath.Join("a", "h.yaml"),
		[]byte(head+"archive: {dir: b}\nnetwork: {hosts_file: /etc/hosts}\ncopies: {table: c.csv}\n"))
	if err != nil {
		t.Fatal(err)
	}
	if h.Copies.Table != Path(filepath.Join("a", "c.csv")) {
		t.Errorf("table %s", h.Copies.Table)
	}
	if h.Archive.Dir != Path(filepath.Join("a", "b")) || h.Network.HostsFile != "/etc/hosts" ||
		h.File() != filepath.Join("a", "h.yaml") {
		t.Errorf("dir %s, hosts file %s of %s", h.Archive.Dir, h.Network.HostsFile, h.File())
	}
	if _, err := Parse("h.yaml", []byte(head+"  - list: x.csv\n")); err == nil ||
		!strings.Contains(err.Error(), "h.yaml:8:11") {
		t.Errorf("a list beside no file: %v", err)
	}
	if _, err := Load(filepath.Join(t.TempDir(), "none.yaml")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a file that is not there: %v", err)
	}
}

// TestEveryPathIsResolved sets each path of a harvest, whatever it is called.
func TestEveryPathIsResolved(t *testing.T) {
	var each func(v reflect.Value, where string, visit func(v reflect.Value, where string))
	each = func(v reflect.Value, where string, visit func(v reflect.Value, where string)) {
		switch {
		case v.Type() == reflect.TypeFor[Path]():
			visit(v, where)
		case v.Kind() == reflect.Struct:
			for i := range v.NumField() {
				if f := v.Type().Field(i); f.IsExported() {
					each(v.Field(i), where+"."+f.Name, visit)
				}
			}
		case v.Kind() == reflect.Slice:
			for i := range v.Len() {
				each(v.Index(i), where, visit)
			}
		}
	}
	h, n := Harvest{Sites: make([]Site, 1)}, 0
	each(reflect.ValueOf(&h).Elem(), "", func(v reflect.Value, _ string) { v.SetString("x"); n++ })
	h.resolvePaths("a")
	each(reflect.ValueOf(&h).Elem(), "", func(v reflect.Value, where string) {
		if v.String() != filepath.Join("a", "x") {
			t.Errorf("%s does not count from the folder of the file", where)
		}
	})
	if n < 7 {
		t.Errorf("only %d paths", n)
	}
}

// The examples are harvests, and each says what the reference does not: that few keys are needed.
func TestExamples(t *testing.T) {
	names := Examples()
	if len(names) < 6 {
		t.Errorf("only %v", names)
	}
	for _, name := range names {
		text, err := Example(name)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := Parse(name+".yaml", text); err != nil {
			t.Error(err)
		}
	}
	if _, err := Example("nightli"); err == nil || !strings.Contains(err.Error(), `"nightly"?`) {
		t.Errorf("no such example: %v", err)
	}
}

// Aliases stand for the values that they name.
func TestAliases(t *testing.T) {
	h, err := Parse("h.yaml",
		[]byte(strings.TrimSuffix(head, "\n")+"\n    exclude: &ads [\"host:ads.example\"]\n  - {name: B, "+
			"seeds: [http://b.example/], exclude: *ads}\n"))
	if err != nil {
		t.Fatal(err)
	}
	if len(h.Sites[1].Exclude) != 1 || h.Sites[1].Exclude[0].String() != "host:ads.example" {
		t.Errorf("%v", h.Sites[1].Exclude)
	}
	if p, _ := h.Where("sites[1].exclude"); p.Line != 9 {
		t.Errorf("the alias is at %v", p)
	}
}

// A preset of copies fills in what the file does not give, and the place of that is the preset's.
func TestThrift(t *testing.T) {
	for _, x := range []struct {
		text string
		want Copies // of the keys that presets know
		from string // the keys whose values come from the preset
	}{
		{
			"{pages: 90%}",
			Copies{Find: FindConfirm, Mean: .8, Sample: .01, Pages: 3, Singles: .9, Runs: 2},
			"",
		},
		{"{preset: careful}", Copies{Find: FindConfirm, Mean: .8, Sample: .01, Pages: 3, Runs: 2}, ""},
		{
			"{preset: cho2000}",
			Copies{Find: FindConfirm, Mean: .5, Pages: 1, Runs: 2},
			"find resemblance verify_pages verify_sample",
		},
		{"{verify_pages: 2, find: off, preset: cho2000}", Copies{
			Find: FindOff, Mean: .5, Pages: 2,
			Runs: 2,
		}, "resemblance verify_sample"},
		{
			"{preset: once}",
			Copies{Find: FindConfirm, Mean: .8, Pages: 1, Singles: .8, Runs: 1},
			"find pages pages_runs verify_pages verify_sample",
		},
		{"{preset: once, pages_runs: 3, verify_sample: 2%}", Copies{
			Find: FindConfirm, Mean: .8, Pages: 1,
			Sample: .02, Singles: .8, Runs: 3,
		}, "find pages verify_pages"},
	} {
		h, err := Parse("h.yaml", []byte(head+"copies: "+x.text+"\n"))
		if err != nil {
			t.Fatalf("%s: %v", x.text, err)
		}
		r := &h.Copies
		got := Copies{
			Find: r.Find, Mean: r.Mean, Sample: r.Sample, Pages: r.Pages,
			Singles: r.Singles, Runs: r.Runs,
		}
		if !reflect.DeepEqual(got, x.want) {
			t.Errorf("%s: %+v, want %+v", x.text, got, x.want)
		}
		var from []string
		at, _ := h.Where("copies.preset")
		for _, o := range h.Effective() {
			key, ours := strings.CutPrefix(o.Key, "copies.")
			if p, given := h.Where(o.Key); ours && given && p == at && key != "preset" {
				from = append(from, key)
			}
		}
		slices.Sort(from)
		if strings.Join(from, " ") != x.from {
			t.Errorf("%s: %v come from the preset, want %s", x.text, from, x.from)
		}
	}
	old, err := Parse("h.yaml", []byte(head+"replicas: {pages_runs: 7}\n"))
	at, given := old.Where("copies.pages_runs")
	if err != nil || old.Copies.Runs != 7 || !given || at.Line == 0 {
		t.Errorf("the former name of the group: %v, %d runs, %v", err, old.Copies.Runs, at)
	}
	_, err = Parse("h.yaml", []byte(head+"replicas: {pages_runs: 7}\ncopies: {pages: 50%}\n"))
	if err == nil || !strings.Contains(err.Error(), "twice") {
		t.Errorf("the group by both its names: %v", err)
	}
	if _, err := Parse("h.yaml", []byte(head+"copies: {preset: twice}\n")); err == nil {
		t.Error("a preset that there is not is none")
	}
}

// Texts made to exhaust a reader are refused in little time.
func TestBombs(t *testing.T) {
	laughs := "harvest: &a [x, x, x, x, x, x, x, x, x, x]\n"
	for c := 'b'; c < 'k'; c++ {
		laughs += string(c) + ": &" + string(c) + " [" +
			strings.TrimSuffix(strings.Repeat("*"+string(c-1)+", ", 10), ", ") + "]\n"
	}
	items := "s: &s [" + strings.Repeat("http://a.example/, ", 1000) + "]\nsites:\n" +
		strings.Repeat("  - {seeds: *s}\n", 1000)
	for name, text := range map[string]string{
		"laughs":       laughs,
		"long lists":   items,
		"brackets":     strings.Repeat("[", 500_000),
		"braces":       strings.Repeat("{a: ", 200_000),
		"dashes":       strings.Repeat("- ", 400_000),
		"questions":    strings.Repeat("? ", 400_000),
		"a large file": strings.Repeat("#\n", maxFile),
		"indents": func() string {
			var b strings.Builder
			for i := range 1000 {
				b.WriteString(strings.Repeat(" ", i) + "a:\n")
			}
			return b.String()
		}(),
	} {
		t.Run(name, func(t *testing.T) {
			_, err := Parse("h.yaml", []byte(text))
			if err == nil {
				t.Fatal("it is taken for good")
			}
			var all Errors
			if !errors.As(err, &all) || len(all) > maxErrors+1 || len(err.Error()) > maxErrors*1000 {
				t.Errorf("%d errors in %d bytes", len(all), len(err.Error()))
			}
		})
	}
}

// No text makes Parse panic; an error lies within the text, and a harvest has what is required.
func FuzzParse(f *testing.F) {
	for _, s := range []string{
		"harvest: a\nsites: [{name: b, seeds: [http://c/]}]\n", "operator: {name: a, contact: mailto:a@b}\n",
		"politeness: {min_delay: 2s, hosts: [{match: \"*.a\"}]}\n", "archive: {warc_size: 1GB, dir: ~/x}\n",
		"network: {allow_private: [10.0.0.0/8], dial_ports: {80: 1}}\n", "a: &a [*a]\n", "\rs",
	} {
		f.Add(s)
	}
	f.Fuzz(parsed)
}

func TestParseTellsWhereOrGivesAllOf(t *testing.T) {
	for _, text := range []string{head, string(Reference()), head + "politeness: {min_delay: x}\n"} {
		parsed(t, text)
	}
}

// parsed reads a harvest: it is whole, or each error has its place.
func parsed(t *testing.T, text string) {
	h, err := Parse("h.yaml", []byte(text))
	if err == nil {
		if h.Harvest == "" || h.Operator.Contact == "" || len(h.Sites) == 0 || len(h.Sites[0].Seeds) == 0 {
			t.Errorf("not whole: %+v", h)
		}
		return
	}
	var all Errors
	if !errors.As(err, &all) || len(all) == 0 {
		t.Fatalf("%T %v", err, err)
	}
	for _, e := range all {
		if e.File != "h.yaml" || e.Line < 0 || e.Line > strings.Count(normal([]byte(text)), "\n")+1 ||
			e.Message == "" {
			t.Errorf("%+v", e)
		}
	}
}

// TestSpelled: addresses keep the case that their escapes have in the file, of a list too.
func TestSpelled(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "a.yaml")
	for name, text := range map[string]string{
		"a.yaml": "harvest: a\noperator: {name: A, contact: \"https://example.org/\"}\nsites:\n" +
			"  - name: a\n    seeds: [\"http://a.example/%d0%bf\", \"http://a.example/%D1%8F\"]\n" +
			"    include: [\"url:http://a.example/%d0%b2\", \"prefix:http://a.example/%d0%b3/\"]\n" +
			"  - list: sites.txt\n",
		"sites.txt": "http://b.example/%d0%b1/\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	h, err := Load(file)
	if err != nil {
		t.Fatal(err)
	}
	for u, want := range map[page.URL]page.Spelling{
		"http://a.example/%D0%BF":  "http://a.example/%d0%bf",
		"http://a.example/%D1%8F":  "",
		"http://b.example/%D0%B1/": "http://b.example/%d0%b1/",
		"http://a.example/%D0%B2":  "http://a.example/%d0%b2",
		"http://a.example/%D0%B3/": "http://a.example/%d0%b3/",
	} {
		if got := h.Spelled(u); got != want {
			t.Errorf("%s is spelled %q, want %q", u, got, want)
		}
	}
}
