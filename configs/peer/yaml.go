package peer

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/goccy/go-yaml/ast"

	"watershed/internal/yamlbound"
)

// node is a value of YAML: a text, a list or keys in order.
type node struct {
	line int
	text string
	list []*node
	keys []string
	at   map[string]*node
}

// parseYAML gives the file's keys. The error is the parser's, or that there are no keys.
func parseYAML(data []byte) (*node, error) {
	f, err := yamlbound.Parse(data)
	if err != nil {
		return nil, err
	}
	for _, doc := range f.Docs {
		if n := nodeOf(doc.Body); n != nil && n.at != nil {
			return n, nil
		}
	}
	return nil, ErrUnknown
}

func nodeOf(n ast.Node) *node {
	if n == nil {
		return nil
	}
	out := &node{}
	if t := n.GetToken(); t != nil && t.Position != nil {
		out.line = t.Position.Line
	}
	switch n := n.(type) {
	case *ast.MappingNode:
		out.pairs(n.Values)
	case *ast.MappingValueNode:
		out.pairs([]*ast.MappingValueNode{n})
	case *ast.SequenceNode:
		for _, v := range n.Values {
			out.list = append(out.list, nodeOf(v))
		}
	case *ast.StringNode:
		out.text = n.Value
	case *ast.LiteralNode:
		out.text = n.Value.Value
	case *ast.NullNode:
	default:
		out.text = n.GetToken().Value
	}
	return out
}

func (n *node) pairs(list []*ast.MappingValueNode) {
	n.at = map[string]*node{}
	for _, p := range list {
		key := p.Key.GetToken().Value
		v := cmp.Or(nodeOf(p.Value), &node{})
		v.line = p.Key.GetToken().Position.Line
		if n.line == 0 || len(n.keys) == 0 {
			n.line = v.line
		}
		n.keys = append(n.keys, key)
		n.at[key] = v
	}
}

// texts are the values of a list, or the single one.
func (n *node) texts() (list []string) {
	switch {
	case n == nil:
		return nil
	case n.list != nil:
		for _, v := range n.list {
			if v.text != "" {
				list = append(list, v.text)
			}
		}
		return list
	case n.text != "":
		return []string{n.text}
	}
	return nil
}

// number is a whole number; ok is false for another value.
func (n *node) number() (i int64, ok bool) {
	i, err := strconv.ParseInt(strings.ReplaceAll(n.text, "_", ""), 10, 64)
	return i, err == nil
}

func (n *node) is(yes bool) bool {
	return n != nil && strings.EqualFold(n.text, strconv.FormatBool(yes))
}

// brozzlerKeys are such as Browsertrix has not; the first ones of ours tell a harvest.
var (
	brozzlerKeys = []string{
		"id", "time_limit", "ignore_robots", "warcprox_meta", "max_claimed_sites", "user_agent", "metadata",
		"enable_warcprox_features", "scope", "behavior_parameters", "remember_outlinks", "video_capture",
	}
	ownKeys = []string{"harvest", "operator", "sites"}
)

// sniffYAML tells whose YAML has these keys.
func sniffYAML(root *node) Program {
	has := func(known []string, n *node) bool {
		return slices.ContainsFunc(n.keys, func(k string) bool { return slices.Contains(known, k) })
	}
	if has(ownKeys, root) {
		return ""
	}
	seeds := root.at["seeds"]
	if seeds != nil {
		for _, s := range seeds.list {
			if s.at != nil && has(brozzlerKeys, s) {
				return Brozzler
			}
		}
		if has(brozzlerKeys, root) && !has([]string{"scopeType", "generateWACZ", "collection"}, root) {
			return Brozzler
		}
	}
	known := 0
	for _, k := range root.keys {
		if _, is := browsertrix[k]; is {
			known++
		}
	}
	if known*2 > len(root.keys) {
		return Browsertrix
	}
	return ""
}

func (r *reader) yaml(data []byte) error {
	root, err := parseYAML(data)
	if err != nil {
		return err
	}
	if r.Program == Brozzler {
		r.brozzler(root)
	} else {
		r.browsertrix(root)
	}
	r.flush()
	return nil
}
