package usage

import (
	"bytes"
	"context"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/alecthomas/kong"
	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "write the golden files")

// shop is a command line with one of each.
type shop struct {
	Buy struct {
		Shop  string   `arg:"" name:"file" help:"Where."`
		What  string   `arg:"" optional:"" enum:",bread,brie" default:""`
		More  []string `arg:"" optional:"" name:"paths" help:"Lists."`
		Coin  string   `enum:"cent,crown" default:"cent" short:"c" help:"Which coin."`
		Into  string   `placeholder:"DIR" short:"i" help:"Bag."`
		From  []string `placeholder:"PATH" sep:"none" help:"Lists of more."`
		Note  string   `placeholder:"TEXT" help:"Why – in a word. \\ is one."`
		Quick bool     `short:"q" help:"Quickly."`
		Debug bool     `hidden:"" help:"Hidden."`
	} `cmd:"" help:"Buy something."`
	Till struct {
		Count struct {
			Days int `default:"7" help:".dotted."`
		} `cmd:"" help:"Count the money."`
		Close struct {
			Key string `arg:"" help:"Key."`
		} `cmd:"" help:"Close the till."`
	} `cmd:"" help:"Work at the till."`
	Secret struct{} `cmd:"" hidden:"" help:"Hidden."`
}

func model(t *testing.T) *kong.Node {
	t.Helper()
	k, err := kong.New(&shop{}, kong.Name("shop"), kong.Description("A shop for tests."),
		Texts("buy <what>\n  What; don't ask\n  [why]: it's 5 % off.\n"))
	if err != nil {
		t.Fatal(err)
	}
	return k.Model.Node
}

// TestGolden holds everything that is written against files; -update writes them, and the
// difference is reviewed.
func TestGolden(t *testing.T) {
	got := map[string][]byte{"shop.bash": Bash(model(t)), "_shop": Zsh(model(t)), "shop.fish": Fish(model(t))}
	sections := []Section{{
		Title: "EXIT STATUS", Text: "Two\nlines.\n\n.Dotted.",
		Terms: []Term{{"0", "Done."}, {"-1", "Not."}},
	}}
	for _, p := range Pages(model(t), sections) {
		got[p.Name] = p.Text
	}
	for name, text := range got {
		path := filepath.Join("testdata", name)
		if *update {
			if err := os.WriteFile(path, text, 0o666); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(string(want), string(text)); d != "" {
			t.Errorf("%s (-want +got):\n%s", path, d)
		}
	}
	if len(got) != 6 {
		t.Errorf("%d files, want three scripts and three pages", len(got))
	}
}

// TestPagesAreRead has mandoc find fault with the pages, where it is installed.
func TestPagesAreRead(t *testing.T) {
	need(t, "mandoc")
	for _, p := range Pages(model(t), nil) {
		c := exec.Command("mandoc", "-T", "lint", "-W", "warning")
		c.Stdin = bytes.NewReader(p.Text)
		out, _ := c.CombinedOutput() // what it has to say is what counts
		for line := range strings.Lines(string(out)) {
			if !strings.Contains(line, "missing date") { // on purpose: the page is the same on any day
				t.Errorf("%s: %s", p.Name, line)
			}
		}
	}
}

// typed are command lines, the last word under the cursor, and what shells are to offer. The folder
// has the files below.
var typed = []struct {
	line  string
	words []string
	want  []string
	skip  string // shells that do otherwise, with good reason
}{
	{line: "", want: []string{"buy", "till"}},
	{line: "ti", want: []string{"till"}},
	{line: "till ", want: []string{"close", "count"}},
	{line: "till c", want: []string{"close", "count"}},
	{line: "till count --d", want: []string{"--days"}},
	{line: "till count --days ", want: nil},
	{line: "till close ", want: nil, skip: "fish"}, // which offers files where it was told of nothing
	{line: "buy b", want: []string{"bag/", "basket"}, skip: "fish"},
	// fish does not count arguments; for zsh what is optional may be passed over
	{line: "buy basket b", want: []string{"bread", "brie"}, skip: "fish zsh"},
	{line: "buy basket bread b", want: []string{"bag/", "basket"}, skip: "fish"},
	{line: "buy basket bread x b", want: []string{"bag/", "basket"}, skip: "fish"},
	{line: "buy --q", want: []string{"--quick"}},
	{line: "buy --coin ", want: []string{"cent", "crown"}},
	{line: "buy -c ", want: []string{"cent", "crown"}},
	{line: "buy --coin crown b", want: []string{"bag/", "basket"}, skip: "fish"},
	{line: "buy --into b", want: []string{"bag/"}},
	{line: "buy --from b", want: []string{"bag/", "basket"}},
	{line: "buy --note b", want: nil},
	{line: "buy --de", want: nil},
	{line: "se", want: nil},
}

// TestShells asks each shell that is installed what it offers.
func TestShells(t *testing.T) {
	for _, s := range []struct {
		shell, script string
		text          []byte
		ask           string
	}{
		{"bash", "shop.bash", Bash(model(t)), askBash},
		{"zsh", "_shop", Zsh(model(t)), askZsh},
		{"fish", "shop.fish", Fish(model(t)), askFish},
	} {
		t.Run(s.shell, func(t *testing.T) {
			t.Parallel()
			need(t, s.shell)
			dir := t.TempDir()
			for name, text := range map[string][]byte{
				"basket": nil, "other": nil, ".script": s.text,
				".ask": []byte(s.ask),
			} {
				if err := os.WriteFile(filepath.Join(dir, name), text, 0o666); err != nil {
					t.Fatal(err)
				}
			}
			if err := os.Mkdir(filepath.Join(dir, "bag"), 0o777); err != nil {
				t.Fatal(err)
			}
			got := ask(t, s.shell, dir)
			if len(got) != len(typed) {
				t.Fatalf("%d answers to %d lines: %q", len(got), len(typed), got)
			}
			for i, c := range typed {
				if !strings.Contains(c.skip, s.shell) && !slices.Equal(got[i], c.want) {
					t.Errorf("%q offers %q, want %q", c.line, got[i], c.want)
				}
			}
		})
	}
}

func need(t *testing.T, program string) {
	t.Helper()
	if _, err := exec.LookPath(program); err != nil {
		t.Skip(err)
	}
}

// ask runs .ask with all lines; it prints a line for each word that is offered, and "==" behind
// those of each line that was typed. Folders end with a slash.
func ask(t *testing.T, shell, dir string) (answers [][]string) {
	t.Helper()
	ctx, stop := context.WithTimeout(t.Context(), time.Minute)
	defer stop()
	args := []string{".ask"}
	for _, c := range typed {
		args = append(args, "shop "+c.line)
	}
	c := exec.CommandContext(ctx, shell, args...)
	c.Dir, c.Env = dir, append(os.Environ(), "HOME="+dir, "XDG_CONFIG_HOME="+dir+"/.config",
		"XDG_DATA_HOME="+dir+"/.data", "TERM=xterm")
	out, err := c.Output()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	var words []string
	for w := range strings.Lines(string(out)) {
		w, _, _ = strings.Cut(strings.TrimSpace(w), "\t") // fish adds what the word means
		switch w {
		case "==":
			slices.Sort(words)
			answers = append(answers, slices.Compact(words))
			words = nil
		case "bag":
			words = append(words, "bag/")
		case "":
		default:
			words = append(words, w)
		}
	}
	return answers
}

const askBash = `
source ./.script
for line; do
	read -ra COMP_WORDS <<<"$line"
	[[ $line == *" " ]] && COMP_WORDS+=("")
	COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
	_shop
	printf '%s\n' "${COMPREPLY[@]}" ==
done
`

const askFish = `
source ./.script
for line in $argv
	complete -C $line
	echo ==
end
`

// askZsh types into a zsh of its own, which writes what it offers to a file. Nothing is typed
// ahead: zsh lists nothing then.
const askZsh = `
zmodload zsh/zpty
zpty z zsh -f -i
local out chunk
await() {
	out=
	while [[ $out != *$1* ]]; do zpty -r z chunk || exit 3; out+=$chunk; done
}
zpty -w z 'PROMPT= ; RPROMPT= ; autoload -Uz compinit; compinit -u -D; source ./.script
compadd() { local -a h; builtin compadd -O h "$@"; (( $#h )) && print -rl -- $h >>.offered
  builtin compadd "$@" }
probe() { zle list-choices; print "==" >>.offered; BUFFER=; zle -I; print OFF""ERED }
zle -N probe; bindkey "^I" probe; LISTMAX=1000
echo RE""ADY'
await READY
: >.offered
for line; do
	zpty -w -n z "$line"$'\t'
	await OFFERED
done
zpty -d z
cat .offered
`

// TestTexts: a flag that no text tells of, and a text of no flag, are errors.
func TestTexts(t *testing.T) {
	var line struct {
		Buy struct {
			From string
			Into string
			Coin string `help:"Which coin."`
		} `cmd:""`
	}
	k, err := kong.New(&line,
		Texts("# of both\n--from\n  Where\n  from.\n\nbuy\n  Buy.\nbuy --into\n  Bag.\n"))
	if err != nil {
		t.Fatal(err)
	}
	buy := k.Model.Children[0]
	got := []string{buy.Help, buy.Flags[0].Help, buy.Flags[1].Help, buy.Flags[2].Help}
	if diff := cmp.Diff([]string{"Buy.", "Where from.", "Bag.", "Which coin."}, got); diff != "" {
		t.Error(diff)
	}
	_, err = kong.New(&line, Texts("buy\n  Buy.\n--from\n  Where.\nsell\n  Sell.\n"))
	if err == nil || !strings.Contains(err.Error(), "buy --into has none") ||
		!strings.Contains(err.Error(), "sell is not there") {
		t.Error(err)
	}
}
