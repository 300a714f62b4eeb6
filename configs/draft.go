package configs

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// Draft is a harvest that is to be written down: its YAML is made from addresses on a command line,
// or from what another program's file says. It is plain data; nothing of it is checked before the
// YAML is parsed.
type Draft struct {
	Head     []string // comments above all, a line each
	Harvest  string
	Operator Operator
	Sites    []DraftSite
	Settings []Setting // in the order in which they are to stand
}

// DraftSite is a site of a Draft. Its settings have keys of a site, such as "limits.pages".
type DraftSite struct {
	Name     string
	Seeds    []string
	Settings []Setting
}

// Setting is an option with its value: text, a number, true or false, or a list of texts.
type Setting struct {
	Key   string // dots lead into groups: "limits.time"
	Value any
	Note  string // a comment behind it; "" for none
}

// YAML writes the draft. Keys that share a group stand together at the place of the first; a key
// that is set twice has its last value. Settings without an operator's name or contact leave them
// empty, so that the check asks for them.
func (d *Draft) YAML() []byte {
	var b strings.Builder
	for _, line := range d.Head {
		b.WriteString(strings.TrimRight("# "+oneLine(line), " ") + "\n")
	}
	top := &group{}
	top.set("harvest", Setting{Value: d.Harvest})
	top.set("operator.name", Setting{Value: d.Operator.Name})
	top.set("operator.contact", Setting{Value: d.Operator.Contact})
	if d.Operator.Organization != "" {
		top.set("operator.organization", Setting{Value: d.Operator.Organization})
	}
	top.write(&b, "")
	b.WriteString("sites:\n")
	for i := range d.Sites {
		d.Sites[i].write(&b)
	}
	rest := &group{}
	for _, s := range d.Settings {
		rest.set(s.Key, s)
	}
	rest.write(&b, "")
	return []byte(b.String())
}

func (s *DraftSite) write(b *strings.Builder) {
	g := &group{}
	if s.Name != "" {
		g.set("name", Setting{Value: s.Name})
	}
	if len(s.Seeds) > 0 {
		g.set("seeds", Setting{Value: s.Seeds})
	}
	for _, x := range s.Settings {
		g.set(x.Key, x)
	}
	var text strings.Builder
	g.write(&text, "    ")
	b.WriteString("  - " + strings.TrimPrefix(text.String(), "    "))
}

// group is a mapping of YAML with its keys in order.
type group struct {
	keys  []string
	under map[string]*group
	value map[string]Setting
}

// set puts a value at a key; dots lead into groups.
func (g *group) set(key string, s Setting) {
	if g.under == nil {
		g.under, g.value = map[string]*group{}, map[string]Setting{}
	}
	name, rest, deeper := strings.Cut(key, ".")
	_, leaf := g.value[name]
	if !leaf && g.under[name] == nil {
		g.keys = append(g.keys, name)
	}
	if !deeper {
		g.value[name] = s
		return
	}
	if g.under[name] == nil {
		g.under[name] = &group{}
	}
	g.under[name].set(rest, s)
}

func (g *group) write(b *strings.Builder, indent string) {
	for _, name := range g.keys {
		if inner := g.under[name]; inner != nil {
			b.WriteString(indent + name + ":\n")
			inner.write(b, indent+"  ")
			continue
		}
		s := g.value[name]
		note := ""
		if s.Note != "" {
			note = " # " + oneLine(s.Note)
		}
		list, is := s.Value.([]string)
		if !is || len(list) == 0 {
			b.WriteString(indent + name + ": " + scalarText(s.Value) + note + "\n")
			continue
		}
		b.WriteString(indent + name + ":" + note + "\n")
		for _, x := range list {
			b.WriteString(indent + "  - " + scalarText(x) + "\n")
		}
	}
}

// plainText may stand in YAML without quotes: no sign of it begins anything, and it ends with no
// colon.
var plainText = regexp.MustCompile(`^[A-Za-z/][A-Za-z0-9 :/._~?=&%+@;()-]*[A-Za-z0-9/=_)-]$`)

// scalarText is a value as YAML has it. Text is quoted unless it is surely plain.
func scalarText(v any) string {
	switch v := v.(type) {
	case string:
		if plainText.MatchString(v) && !strings.Contains(v, ": ") && !strings.Contains(v, " #") &&
			!isWord(v) {
			return v
		}
		return quoted(v)
	case []string:
		return "[]"
	}
	return fmt.Sprint(v)
}

// isWord reports what a reader of YAML may take for something other than text.
func isWord(v string) bool {
	switch strings.ToLower(v) {
	case "true", "false", "yes", "no", "on", "off", "null", "nan", "inf":
		return true
	}
	_, err := strconv.ParseFloat(v, 64)
	return err == nil
}

func quoted(v string) string {
	var b strings.Builder
	e := json.NewEncoder(&b) // YAML's double quotes understand JSON's
	e.SetEscapeHTML(false)
	_ = e.Encode(v) // text always can be
	return strings.TrimSpace(b.String())
}

// oneLine keeps a comment from ending early.
func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }
