package configs

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/goccy/go-yaml/ast"

	"watershed/page"
)

// decoder fills structs from a YAML tree and notes where each value came from. It goes on after an
// error: what is wrong stays at its default, and one error is kept a place. Outline:
//
//	value(key, node, v):  alias → the node that its anchor names, counted against the budget
//	                      struct → each pair: known key, first time, value; list → each item; map
//	                          → each pair
//	                      pointer → its element; scalar type → its parser; plain kinds → strictly
//
// It walks the tree itself, rather than have goccy/go-yaml decode, because that stops at the first
// error, and its strict mode panics on some inputs (its issue 810).
type decoder struct {
	file    string
	lines   []string            // of file
	sources map[string][]string // lines of every file that errors may point into
	anchors map[string]ast.Node
	open    map[string]bool // anchors being expanded, against a cycle
	budget  int             // nodes that may still be read
	site    Site            // what each begins with
	origins map[string]Position
	spelled map[page.URL]page.Spelling
	looked  Position // the line that was looked through last for secrets, and whether it is hidden
	hidden  bool
	errs    Errors
	unkept  int // errors beyond those
}

// maxNodes bounds how many values a file may have after its aliases are expanded: the "billion
// laughs" stop there.
const maxNodes = 200_000

// field is one key of a struct.
type field struct {
	key   string
	index int
}

func fieldsOf(t reflect.Type) []field {
	var fs []field
	for i := range t.NumField() {
		if key := t.Field(i).Tag.Get("yaml"); key != "" {
			fs = append(fs, field{key, i})
		}
	}
	return fs
}

// fresh is a new value of t: with its defaults where it is an item that has some.
func (d *decoder) fresh(t reflect.Type) reflect.Value {
	v := reflect.New(t).Elem()
	if t == reflect.TypeFor[Site]() {
		v.Set(reflect.ValueOf(d.site))
	}
	return v
}

func (d *decoder) fail(key string, n ast.Node, hint, format string, args ...any) {
	d.add(d.errorAt(key, d.position(n), hint, fmt.Sprintf(format, args...)))
}

// add keeps an error, unless there are far too many: checks look through those that are there.
func (d *decoder) add(e *Error) {
	if len(d.errs) < 5*maxErrors {
		d.errs = append(d.errs, e)
	} else {
		d.unkept++
	}
}

func (d *decoder) errorAt(key string, p Position, hint, message string) *Error {
	e := &Error{Position: p, Key: key, Message: page.Redact(message), Hint: page.Redact(hint)}
	if lines := d.sources[p.File]; p.Line >= 1 && p.Line <= len(lines) && !d.secretive(key, p) {
		e.Source = page.Redact(lines[p.Line-1])
	}
	return e
}

// confidences are what names a secret, in a line or a key.
var confidences = regexp.MustCompile(`(?i)passw|pwd|secret|token|authori[sz]ation|cookie|api.?key|login`)

// secretive reports a line that errors do not show, since a secret may stand in it, against all
// rules. A line with many errors is looked through once.
func (d *decoder) secretive(key string, p Position) bool {
	if strings.Contains(key, ".login.") || strings.HasPrefix(key, "notify.") ||
		strings.HasPrefix(key, "upload.") {
		return true
	}
	if at := (Position{File: p.File, Line: p.Line}); d.looked != at {
		d.looked, d.hidden = at, confidences.MatchString(d.sources[p.File][p.Line-1])
	}
	return d.hidden
}

// position is where a node begins: a mapping at its first key.
func (d *decoder) position(n ast.Node) Position {
	switch n := n.(type) {
	case *ast.MappingNode:
		if len(n.Values) > 0 && !n.IsFlowStyle {
			return d.position(n.Values[0].Key)
		}
	case *ast.MappingValueNode:
		return d.position(n.Key)
	}
	if n == nil || n.GetToken() == nil || n.GetToken().Position == nil {
		return Position{File: d.file}
	}
	p := n.GetToken().Position
	return Position{File: d.file, Line: p.Line, Column: p.Column}
}

// value reads n into v.
func (d *decoder) value(key string, n ast.Node, v reflect.Value) {
	if d.budget--; d.budget < 0 {
		if d.budget == -1 {
			d.fail(key, n, "", "more than %d values once the aliases are expanded", maxNodes)
		}
		return
	}
	switch n := n.(type) {
	case *ast.AnchorNode:
		d.value(key, n.Value, v)
		return
	case *ast.AliasNode:
		d.alias(key, n, v)
		return
	case *ast.TagNode:
		d.fail(key, n, "leave the tag out", "%s: tags such as %s are not used here", key, n.Start.Value)
		return
	case *ast.NullNode:
		d.fail(key, n, emptyHint(key, v.Type()), "%s has no value", key)
		return
	}
	d.origins[key] = d.position(n)
	t := v.Type()
	if s, ok := scalars[t]; ok {
		d.scalar(key, n, v, s)
		return
	}
	switch t.Kind() {
	case reflect.Pointer:
		p := reflect.New(t.Elem())
		before := len(d.errs)
		d.value(key, n, p.Elem())
		if len(d.errs) == before {
			v.Set(p)
		}
	case reflect.Struct:
		d.structure(key, n, v)
	case reflect.Slice:
		d.list(key, n, v)
	case reflect.Map:
		d.mapping(key, n, v)
	default:
		d.plain(key, n, v)
	}
}

func emptyHint(key string, t reflect.Type) string {
	if strings.HasSuffix(key, "]") {
		return "take the line away, or write a value behind its hyphen"
	}
	switch t.Kind() {
	case reflect.Slice:
		return "write [] for none, or leave the key out"
	case reflect.Map:
		return "write {} for none, or leave the key out"
	}
	return "leave the key out to get the default"
}

func (d *decoder) alias(key string, n *ast.AliasNode, v reflect.Value) {
	name := n.Value.GetToken().Value
	target, ok := d.anchors[name]
	switch {
	case !ok:
		hint := meant(name, slices.Collect(maps.Keys(d.anchors)))
		d.fail(key, n, hint, "alias *%s: there is no anchor &%s", name, name)
	case d.open[name]:
		d.fail(key, n, "", "alias *%s lies within its own anchor", name)
	default:
		d.open[name] = true
		d.value(key, target, v)
		delete(d.open, name)
		d.origins[key] = d.position(n)
	}
}

func meant(word string, known []string) string {
	if near := nearest(word, known); near != "" {
		return fmt.Sprintf("did you mean %q?", near)
	}
	return ""
}

// pairs gives the pairs of the mapping n, or tells that n is no mapping.
func (d *decoder) pairs(key string, n ast.Node) ([]*ast.MappingValueNode, bool) {
	switch n := n.(type) {
	case *ast.MappingNode:
		return n.Values, true
	case *ast.MappingValueNode:
		return []*ast.MappingValueNode{n}, true
	}
	d.fail(key, n, "", "%s: want keys and values, not %s", named(key), shape(n))
	return nil, false
}

// named is a key in a message; the file as a whole has none.
func named(key string) string {
	return cmp.Or(key, "the file")
}

func join(key, name string) string {
	if key == "" {
		return name
	}
	return key + "." + name
}

func (d *decoder) structure(key string, n ast.Node, v reflect.Value) {
	pairs, ok := d.pairs(key, n)
	if !ok {
		return
	}
	fields := fieldsOf(v.Type())
	seen := map[string]Position{}
	for _, pair := range pairs {
		name, ok := d.name(key, pair.Key)
		if !ok {
			continue
		}
		if key == "" {
			name = cmp.Or(formerKeys[name], name)
		}
		i := fieldIndex(fields, name)
		if i < 0 {
			d.fail(join(key, name), pair.Key, unknownHint(name, fields), "%s has no key %q", named(key), name)
			continue
		}
		if !d.once(key, name, pair, seen) {
			continue
		}
		d.value(join(key, name), pair.Value, v.Field(i))
	}
}

// formerKeys have the present names of the groups that earlier files name otherwise.
var formerKeys = map[string]string{"replicas": "copies"}

// name is the text of a mapping's key.
func (d *decoder) name(key string, k ast.MapKeyNode) (string, bool) {
	if _, ok := k.(*ast.MergeKeyNode); ok {
		d.fail(key, k, "repeat the keys, or give an alias for a single value",
			"%s: merge keys (<<) are not used here", named(key))
		return "", false
	}
	switch k := k.(type) {
	case *ast.StringNode:
		return k.Value, true
	case ast.ScalarNode:
		return k.GetToken().Value, true
	}
	d.fail(key, k, "", "%s: a key is a plain word", named(key))
	return "", false
}

// once notes that a key was seen and tells if it was before.
func (d *decoder) once(key, name string, n *ast.MappingValueNode, seen map[string]Position) bool {
	if first, ok := seen[name]; ok {
		hint := fmt.Sprintf("the first one is in line %d", first.Line)
		if _, list := n.Value.(*ast.SequenceNode); list {
			hint += ": write what is in both into one list, with commas between"
		}
		d.fail(join(key, name), n.Key, hint, "%s has the key %q twice", named(key), name)
		return false
	}
	seen[name] = d.position(n.Key)
	return true
}

func fieldIndex(fields []field, name string) int {
	for _, f := range fields {
		if f.key == name {
			return f.index
		}
	}
	return -1
}

// unknownHint names the key that was meant: a near one beside it, one there that has the word, or
// one of that name elsewhere.
func unknownHint(name string, fields []field) string {
	keys := make([]string, len(fields))
	for i, f := range fields {
		keys[i] = f.key
	}
	if near := nearest(name, keys); near != "" {
		return fmt.Sprintf("did you mean %q?", near)
	}
	other := func(key string) bool { return !slices.Contains(strings.Split(key, "_"), name) }
	if alike := slices.DeleteFunc(slices.Clone(keys), other); len(alike) > 0 {
		return "did you mean one of " + strings.Join(alike, ", ") + "?"
	}
	for _, k := range Keys() {
		if k == name {
			return fmt.Sprintf("%q is a key of the harvest itself: it stands in the first column", name)
		}
		if parent, ok := strings.CutSuffix(k, "."+name); ok {
			return fmt.Sprintf("%q is a key of %s", name, parent)
		}
	}
	return "known keys: " + strings.Join(keys, ", ")
}

func (d *decoder) list(key string, n ast.Node, v reflect.Value) {
	s, ok := n.(*ast.SequenceNode)
	if !ok {
		d.fail(key, n, `write each item on a line of its own after "- ", or all within [ ]`,
			"%s: want a list, not %s", key, shape(n))
		return
	}
	items := reflect.MakeSlice(v.Type(), 0, len(s.Values))
	for i, item := range s.Values {
		e := d.fresh(v.Type().Elem())
		d.value(fmt.Sprintf("%s[%d]", key, i), item, e)
		items = reflect.Append(items, e)
	}
	v.Set(items)
}

func (d *decoder) mapping(key string, n ast.Node, v reflect.Value) {
	pairs, ok := d.pairs(key, n)
	if !ok {
		return
	}
	m := reflect.MakeMapWithSize(v.Type(), len(pairs))
	seen := map[string]Position{}
	for _, pair := range pairs {
		name, ok := d.name(key, pair.Key)
		if !ok || !d.once(key, name, pair, seen) {
			continue
		}
		k, e := reflect.New(v.Type().Key()).Elem(), d.fresh(v.Type().Elem())
		before := len(d.errs)
		d.plain(key, pair.Key, k)
		d.value(join(key, name), pair.Value, e)
		if len(d.errs) == before {
			m.SetMapIndex(k, e)
		}
	}
	v.Set(m)
}

// text is a scalar as it stands in the file, and whether it was in quotes or a block.
func text(n ast.Node) (s string, quoted, ok bool) {
	switch n := n.(type) {
	case *ast.StringNode:
		return n.Value, n.Token.Type.String() != "String", true
	case *ast.LiteralNode:
		return strings.TrimRight(n.Value.Value, "\n"), true, true
	case *ast.IntegerNode, *ast.FloatNode, *ast.BoolNode, *ast.InfinityNode, *ast.NanNode:
		return n.GetToken().Value, false, true
	}
	return "", false, false
}

func (d *decoder) scalar(key string, n ast.Node, v reflect.Value, s scalar) {
	t, _, ok := text(n)
	if !ok {
		d.fail(key, n, "", "%s: want %s, not %s", key, s.want, shape(n))
		return
	}
	x, err := s.parse(t)
	if err != nil {
		var h hinted
		switch {
		case err == errNetip:
			d.fail(key, n, "", "%s: want %s, not %q", key, s.want, t)
		case errors.As(err, &h):
			d.fail(key, n, h.hint, "%s: %v", key, err)
		default:
			d.fail(key, n, "", "%s: %v", key, err)
		}
		return
	}
	switch r := x.(type) {
	case page.URL:
		d.spell(t)
	case page.Rule:
		if _, ok := r.Names(); ok {
			_, address, _ := strings.Cut(t, ":")
			d.spell(strings.TrimSpace(address))
		}
	}
	v.Set(reflect.ValueOf(x))
}

// spell notes how an address is written, the first time that it is.
func (d *decoder) spell(text string) {
	u, s, err := page.ParseSpelled(text)
	if _, told := d.spelled[u]; err == nil && !told {
		d.spelled[u] = s
	}
}

// plain reads the kinds of Go: text, words of an enum, yes and no, numbers.
func (d *decoder) plain(key string, n ast.Node, v reflect.Value) {
	t, quoted, ok := text(n)
	if !ok {
		d.fail(key, n, "", "%s: want %s, not %s", key, kindName(v.Type()), shape(n))
		return
	}
	switch v.Kind() {
	case reflect.String:
		d.str(key, n, v, t)
	case reflect.Bool:
		b, isBool := n.(*ast.BoolNode)
		if !isBool {
			d.fail(key, n, "", "%s: want true or false, not %s", key, shape(n))
			return
		}
		v.SetBool(b.Value)
	default:
		if quoted {
			d.fail(key, n, "leave the quotes out", "%s: want %s, not text", key, kindName(v.Type()))
			return
		}
		d.number(key, n, v, t)
	}
}

func (d *decoder) str(key string, n ast.Node, v reflect.Value, t string) {
	if _, isText := n.(*ast.StringNode); !isText {
		if _, isBlock := n.(*ast.LiteralNode); !isBlock {
			d.fail(key, n, fmt.Sprintf("put it in quotes if it is meant as text: %q", t),
				"%s: want text, not %s", key, shape(n))
			return
		}
	}
	if known := words(v.Type()); known != nil && !slices.Contains(known, t) {
		d.fail(key, n, meant(t, known), "%s: %q is none of %s", key, t, strings.Join(known, ", "))
		return
	}
	v.SetString(t)
}

func (d *decoder) number(key string, n ast.Node, v reflect.Value, t string) {
	digits := strings.ReplaceAll(t, "_", "")
	var err error
	switch v.Kind() {
	case reflect.Float64:
		var f float64
		if f, err = strconv.ParseFloat(digits, 64); err == nil && f-f == 0 { // neither infinite nor NaN
			v.SetFloat(f)
			return
		}
	case reflect.Int, reflect.Int64:
		var i int64
		if i, err = strconv.ParseInt(digits, 10, 64); err == nil && !padded(digits) {
			v.SetInt(i)
			return
		}
	case reflect.Uint16:
		var u uint64
		if u, err = strconv.ParseUint(digits, 10, 16); err == nil && !padded(digits) {
			v.SetUint(u)
			return
		}
	}
	if ne, ok := err.(*strconv.NumError); ok && ne.Err == strconv.ErrRange {
		d.fail(key, n, "", "%s: %s is too large", key, t)
		return
	}
	d.fail(key, n, "", "%s: want %s, not %q", key, kindName(v.Type()), t)
}

// padded reports a number with zeros in front, which some readers of YAML take for octal.
func padded(digits string) bool {
	digits = strings.TrimLeft(digits, "+-")
	return len(digits) > 1 && digits[0] == '0'
}

func kindName(t reflect.Type) string {
	if s, ok := scalars[t]; ok {
		return s.want
	}
	if known := words(t); known != nil {
		return "one of " + strings.Join(known, ", ")
	}
	switch t.Kind() {
	case reflect.String:
		return "text"
	case reflect.Bool:
		return "true or false"
	case reflect.Float64:
		return "a number"
	case reflect.Uint16:
		return "a whole number from 0 to 65535"
	}
	return "a whole number"
}

// shape names what stands in the file.
func shape(n ast.Node) string {
	switch n := n.(type) {
	case *ast.MappingNode, *ast.MappingValueNode:
		return "keys and values"
	case *ast.SequenceNode:
		return "a list"
	case *ast.BoolNode:
		return "true or false"
	case *ast.IntegerNode, *ast.FloatNode:
		return "a number"
	case *ast.StringNode:
		if t := n.Value; len(t) <= 40 {
			return strconv.Quote(t)
		}
		return "text"
	case *ast.LiteralNode:
		return "text"
	}
	return "this"
}
