package house

import (
	"go/ast"
	"reflect"
	"strings"

	"watershed/lab/kit/sources"
)

// commandLine counts the flags and arguments, and the commands that can be given, by the tags of a
// command line: a struct commands of a package, as kong reads it.
func commandLine(files []sources.Source, pkg string) (flags, commands int) {
	types := map[string]*ast.StructType{}
	for _, s := range files {
		if s.Package != pkg || s.Test {
			continue
		}
		ast.Inspect(s.File, func(n ast.Node) bool {
			if d, ok := n.(*ast.TypeSpec); ok {
				if body, ok := d.Type.(*ast.StructType); ok {
					types[d.Name.Name] = body
				}
			}
			return true
		})
	}
	c := counter{types: types}
	c.command("commands")
	return c.flags, c.commands
}

type counter struct {
	types           map[string]*ast.StructType
	flags, commands int
}

// command counts what is below a type; one without commands below it can be given itself.
func (c *counter) command(name string) {
	below := false
	c.fields(name, func(f *ast.Field, tag reflect.StructTag) {
		if _, is := tag.Lookup("cmd"); is {
			below = true
			c.command(receiver(f.Type))
		} else {
			c.flags++
		}
	})
	if !below {
		c.commands++
	}
}

// fields gives the fields of a type that are commands, flags or arguments, and of those that it embeds.
func (c *counter) fields(name string, yield func(*ast.Field, reflect.StructTag)) {
	body := c.types[name]
	if body == nil {
		return
	}
	for _, f := range body.Fields.List {
		var tag reflect.StructTag
		if f.Tag != nil {
			tag = reflect.StructTag(strings.Trim(f.Tag.Value, "`"))
		}
		switch {
		case len(f.Names) == 0:
			c.fields(receiver(f.Type), yield)
		case f.Names[0].IsExported() && tag.Get("kong") != "-":
			yield(f, tag)
		}
	}
}
