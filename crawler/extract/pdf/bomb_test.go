package pdf

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"testing"

	"watershed/lab/kit/bomb"
)

// TestDepth: brackets that go deeper than any stack bears are passed over, and what stands before
// and behind them is read.
func TestDepth(t *testing.T) {
	header := []byte("%PDF-1.5\n1 0 obj\n")
	page := onePage("BT /F 10 Tf (whole) Tj ET", plain)
	for name, tt := range map[string]struct {
		file []byte
		want string
	}{
		"lists": {append(header, bomb.Nested("[")...), ""},
		"dicts": {append(header, bomb.Nested("<<")...), ""},
		"both":  {append(header, bomb.Nested("<</a[")...), ""},
		"closed": {append(append(page, fmt.Sprintf("9 0 obj %s%s ", bomb.Nested("["),
			bomb.Nested("]"))...), page...), "whole"},
		"in a trailer": {append(page, append([]byte("trailer "), bomb.Nested("<</a ")...)...), "whole"},
		"in content":   {onePage("BT /F 10 Tf (whole) Tj ET "+string(bomb.Nested("[")), plain), "whole"},
		"in a map": {onePage("BT /F 10 Tf <41> Tj ET", "/F<</Subtype/Type1/ToUnicode 5 0 R>>",
			content("", string(bomb.Nested("[")), true)), "A"},
		"in an ObjStm": {append(page, "9 0 obj "+content("/Type/ObjStm/N 1/First 4",
			"8 0 "+string(bomb.Nested("[")), true)...), "whole"},
		"nested fonts":  {onePage("BT /F 10 Tf (whole) Tj ET", plain+strings.Repeat("/G[", 1<<16)), ""},
		"dangling keys": {append(header, bomb.Nested("<</a")...), ""},
	} {
		t.Run(name, func(t *testing.T) {
			bomb.Holds(t, 256<<20, func() {
				if got, err := read(t, tt.file, Options{}); got != tt.want ||
					tt.want == "" && !errors.Is(err, ErrFormat) {
					t.Errorf("%.40q, %v, want %q", got, err, tt.want)
				}
			})
		})
	}
}

// TestBound: up to maxDepth a list is kept, beyond it is empty, and what follows is read at its own
// depth.
func TestBound(t *testing.T) {
	for depth, want := range map[int]int{maxDepth: 1, maxDepth + 1: 0} {
		l := lexer{
			b:    []byte(strings.Repeat("[", depth) + "7" + strings.Repeat("]", depth) + "(behind)"),
			room: maxValues,
		}
		v := l.next(0)
		for range min(depth, maxDepth) - 1 {
			v = v.(list)[0]
		}
		if depth > maxDepth {
			v = v.(list)[0]
		}
		if got := len(v.(list)); got != want {
			t.Errorf("depth %d: %d values in the innermost list, want %d", depth, got, want)
		}
		if behind, _ := l.next(0).(text); string(behind) != "behind" {
			t.Errorf("depth %d: %q comes behind", depth, behind)
		}
	}
}

// TestWork: what may be asked for again and again counts as work each time. Before it did, each of
// these took minutes.
func TestWork(t *testing.T) {
	const n = 1 << 18
	kids := "[" + strings.Repeat("1 0 R ", n) + "]"
	nodes := make([]string, n)
	for i := range nodes {
		nodes[i] = fmt.Sprintf("%d 0 obj<</Kids 9 0 R>>\n", i+100)
	}
	refs := make([]string, n)
	for i := range refs {
		refs[i] = fmt.Sprintf("%d 0 R ", i+100)
	}
	head := strings.Repeat("7 0 ", n)
	long := "[" + strings.Repeat("1 ", 1<<20) + "]"
	many := strings.Builder{}
	for i := range n / 8 {
		fmt.Fprintf(&many, "/F%d<</Subtype/Type1/Widths 9 0 R/Encoding<</Differences 9 0 R>>>>", i)
	}
	use := strings.Builder{}
	for i := range n / 8 {
		fmt.Fprintf(&use, "/F%d 1 Tf ", i)
	}
	empty := strings.Repeat(" ", 8<<20)
	for name, b := range map[string][]byte{
		"one place of many objects": build(content(fmt.Sprintf("/Type/ObjStm/N %d/First %d", n, len(head)),
			head+kids, true)),
		"one list of many nodes": append(build("<</Type/Catalog/Pages 9 0 R>>"),
			("9 0 obj[" + strings.Join(refs, "") + "]\n" + strings.Join(nodes, ""))...),
		"kids of many nodes": append(build("<</Type/Catalog/Pages<</Kids 9 0 R>>>>"),
			("9 0 obj[" + strings.Join(refs, "") + "]\n" + strings.Join(nodes, ""))...),
		"one table of fonts": append(onePage(use.String(), many.String()), ("9 0 obj" + long)...),
		"wide tables": append(onePage(use.String(), strings.ReplaceAll(many.String(),
			"/Type1/Widths 9 0 R", "/Type0/DescendantFonts[<</W 9 0 R>>]")), ("9 0 obj" + long)...),
		"a list shown often": append(onePage("BT /F 1 Tf "+strings.Repeat("9 0 R TJ ", n), plain),
			("9 0 obj[" + strings.Repeat("(a)", 1<<20) + "]")...),
		"ranges without text": onePage("BT /F 1 Tf <0001> Tj", "/F<</Subtype/Type0/ToUnicode 5 0 R>>",
			content("", strings.Repeat("<0000><ffff>[]", n)+" endbfrange", true)),
		"ranges, one by one": onePage("BT /F 1 Tf <0001> Tj", "/F<</Subtype/Type0/ToUnicode 5 0 R>>",
			content("", strings.Repeat("<0000><ffff>[] endbfrange ", n), true)),
		"forms of nothing": onePage(strings.Repeat("/X Do ", n), plain,
			fmt.Sprintf("<</Subtype/Form/Filter/AHx/Length %d>>stream\n%s\nendstream", len(empty), empty)),
		"content of nothing": build("<</Type/Page/Contents["+strings.Repeat("2 0 R ", n)+"]>>",
			fmt.Sprintf("<</Filter/A85/Length %d>>stream\n%s\nendstream", len(empty), empty)),
	} {
		t.Run(name, func(t *testing.T) {
			bomb.Holds(t, 1<<30, func() {
				if got, err := read(t, b, Options{}); len(got) > 64<<20 {
					t.Errorf("%d bytes of text, %v", len(got), err)
				}
			})
		})
	}
}

// TestRoom: of a file of nothing but values so many are kept, and the text that was found is given.
func TestRoom(t *testing.T) {
	b := append(onePage("BT /F 10 Tf (whole) Tj ET", plain),
		("9 0 obj[" + strings.Repeat("1 ", 3*maxValues) + "]")...)
	b = append(b, append([]byte("10 0 obj<<"), bytes.Repeat([]byte("/a 1"), maxValues)...)...)
	bomb.Holds(t, 512<<20, func() {
		if got, err := read(t, b, Options{}); got != "whole" || !errors.Is(err, ErrTooLarge) {
			t.Errorf("%q, %v", got, err)
		}
	})
}
