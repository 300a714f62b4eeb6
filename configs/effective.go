package configs

import (
	"encoding"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"sort"
	"strconv"
	"strings"

	"watershed/page"
)

// Option is one effective value of a harvest.
type Option struct {
	Key    string `json:"key"`    // path of the option, for example "politeness.hosts[0].min_delay"
	Value  string `json:"value"`  // as it would stand in the YAML
	Origin string `json:"origin"` // "file:line", or "default"
}

// originDefault is the origin of what no file sets.
const originDefault = "default"

// Effective lists every option of the harvest with its value and where that comes from, in the
// order of reference.yaml, and URLs without the user names and passwords in them. An empty list is
// "[]", an empty map "{}", an empty text `""`; what a host override leaves alone is not listed.
func (h *Harvest) Effective() []Option {
	var out []Option
	walk("", reflect.ValueOf(h).Elem(), func(key string, v reflect.Value) {
		out = append(out, Option{Key: key, Value: page.Redact(format(v)), Origin: h.origin(key)})
	})
	return out
}

// Where is the place of the value of an option, or of a group of them, by its key; ok is false for
// a default.
func (h *Harvest) Where(key string) (p Position, ok bool) {
	p, ok = h.origins[key]
	return p, ok
}

// Files are the paths of what the harvest was read of: its YAML, and the lists of sites.
func (h *Harvest) Files() []string {
	set := map[string]bool{}
	for _, p := range h.origins {
		set[p.File] = true
	}
	return slices.Sorted(maps.Keys(set))
}

func (h *Harvest) origin(key string) string {
	if p, ok := h.origins[key]; ok {
		return p.File + ":" + strconv.Itoa(p.Line)
	}
	return originDefault
}

// walk calls leaf for every option below v that is no group of others.
func walk(key string, v reflect.Value, leaf func(string, reflect.Value)) {
	if _, ok := scalars[v.Type()]; ok {
		leaf(key, v)
		return
	}
	switch v.Kind() {
	case reflect.Pointer:
		if !v.IsNil() {
			walk(key, v.Elem(), leaf)
		}
	case reflect.Struct:
		for _, f := range fieldsOf(v.Type()) {
			walk(join(key, f.key), v.Field(f.index), leaf)
		}
	case reflect.Slice:
		if v.Len() == 0 {
			leaf(key, v)
		}
		for i := range v.Len() {
			walk(fmt.Sprintf("%s[%d]", key, i), v.Index(i), leaf)
		}
	case reflect.Map:
		if v.Len() == 0 {
			leaf(key, v)
		}
		keys := v.MapKeys()
		sort.Slice(keys, func(i, j int) bool {
			if keys[i].Kind() == reflect.String {
				return keys[i].String() < keys[j].String()
			}
			return keys[i].Uint() < keys[j].Uint()
		})
		for _, k := range keys {
			walk(join(key, format(k)), v.MapIndex(k), leaf)
		}
	default:
		leaf(key, v)
	}
}

// format writes a single value as the YAML has it.
func format(v reflect.Value) string {
	switch x := v.Interface().(type) {
	case fmt.Stringer:
		return x.String()
	case encoding.TextMarshaler:
		if b, err := x.MarshalText(); err == nil {
			return string(b)
		}
	}
	switch v.Kind() {
	case reflect.Slice:
		return "[]"
	case reflect.Map:
		return "{}"
	case reflect.String:
		if s := v.String(); s == "" || strings.TrimSpace(s) != s {
			return strconv.Quote(s)
		}
		return v.String()
	case reflect.Float64:
		return strconv.FormatFloat(v.Float(), 'g', -1, 64)
	}
	return fmt.Sprint(v.Interface())
}

// Keys lists every key that a harvest may have, groups too, in the order of reference.yaml; an item
// of a list is "[]".
func Keys() []string {
	var out []string
	keysOf("", reflect.TypeFor[Harvest](), &out)
	return out
}

func keysOf(key string, t reflect.Type, out *[]string) {
	if _, ok := scalars[t]; ok {
		return
	}
	switch t.Kind() {
	case reflect.Pointer:
		keysOf(key, t.Elem(), out)
	case reflect.Slice:
		keysOf(key+"[]", t.Elem(), out)
	case reflect.Struct:
		for _, f := range fieldsOf(t) {
			k := join(key, f.key)
			*out = append(*out, k)
			keysOf(k, t.Field(f.index).Type, out)
		}
	}
}
