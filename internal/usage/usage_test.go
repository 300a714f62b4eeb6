package usage

import (
	"slices"
	"strings"
	"testing"

	"github.com/alecthomas/kong"
	"github.com/google/go-cmp/cmp"
)

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

// TestComplete: none is offered where the name of a file, or any text, may stand.
func TestComplete(t *testing.T) {
	for line, want := range map[string][]string{
		"shop ":                     {"buy", "till"},
		"shop ti":                   {"till"},
		"shop till ":                {"count", "close"},
		"shop till cl":              {"close"},
		"shop till count --d":       {"--days"},
		"shop till count --days ":   nil,
		"shop till close ":          nil,
		"shop buy b":                nil,
		"shop buy basket b":         {"bread", "brie"},
		"shop buy -q basket br":     {"bread", "brie"},
		"shop buy basket bread b":   nil,
		"shop buy basket bread x b": nil,
		"shop buy --q":              {"--quick"},
		"shop buy --coin ":          {"cent", "crown"},
		"shop  buy -c cr":           {"crown"},
		"shop buy --coin crown b":   nil,
		"shop buy --note b":         nil,
		"shop buy --de":             nil,
		"shop se":                   nil,
		"shop nothing -":            {"--help", "-h"},
	} {
		if got := Complete(model(t), line); !slices.Equal(got, want) {
			t.Errorf("%q offers %q, want %q", line, got, want)
		}
	}
}

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
