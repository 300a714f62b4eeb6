package house

import (
	"go/ast"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"watershed/lab/kit/sources"
)

// demanded are methods that interfaces of the standard library and of kong ask for.
var demanded = strings.Fields("String Error Unwrap Is As Read Write Close ReadAt WriteTo ReadFrom Visit " +
	"MarshalJSON UnmarshalJSON MarshalText UnmarshalText MarshalYAML UnmarshalYAML Less Len Swap Push Pop " +
	"ServeHTTP RoundTrip Run Help Validate Decode")

// exported are the names that packages of the program export for nobody: package.Name, or
// package.Type.Method. A name is used where a file that imports the package says package.Name, an
// example or a test of the package among them. A method is used where a file of another package or
// a template says .Method of whatever value, or where an interface has a method of that name.
//
// Not counted are the commands; a type that the declaration of an exported name needs; constants of
// an exported type, which enumerate its values; and fields, which encodings and templates read.
func exported(root string, files []sources.Source) ([]string, error) {
	e := exports{used: map[string]bool{}, needed: map[string]bool{}, members: map[string][]string{}}
	for i := range files {
		e.read(&files[i])
	}
	if err := e.templates(root); err != nil {
		return nil, err
	}
	var list []string
	for i := range files {
		s := &files[i]
		if s.Test || sources.Laboratory(s.Package) || sources.Room(s.Package) == "cmd" {
			continue
		}
		for _, name := range declared(s.File) {
			if !e.uses(s.Package, name) {
				list = append(list, s.Package+"."+name)
			}
		}
	}
	slices.Sort(list)
	return slices.Compact(list), nil
}

// exports tell which names are used.
type exports struct {
	used    map[string]bool     // package.Name, by a file that imports the package
	needed  map[string]bool     // package.Name, by the declaration of an exported name
	members map[string][]string // a member's name: the packages that say it; "" for an interface or template
}

func (e *exports) uses(pkg, name string) bool {
	_, method, is := strings.Cut(name, ".")
	if !is {
		return e.used[pkg+"."+name] || e.needed[pkg+"."+name]
	}
	return slices.Contains(demanded, method) ||
		slices.ContainsFunc(e.members[method], func(by string) bool { return by != pkg })
}

// read takes over what a file says.
func (e *exports) read(s *sources.Source) {
	imported := map[string]string{} // the name of a package in the file: its path
	for _, spec := range s.File.Imports {
		path := strings.Trim(spec.Path.Value, `"`)
		name := path[strings.LastIndexByte(path, '/')+1:]
		if spec.Name != nil {
			name = spec.Name.Name
		}
		imported[name] = strings.TrimPrefix(path, "watershed/")
	}
	ast.Inspect(s.File, func(n ast.Node) bool {
		switch x := n.(type) {
		case *ast.SelectorExpr:
			if from, ok := x.X.(*ast.Ident); ok && imported[from.Name] != "" {
				e.used[imported[from.Name]+"."+x.Sel.Name] = true
			}
			e.members[x.Sel.Name] = append(e.members[x.Sel.Name], s.Package)
		case *ast.InterfaceType:
			for _, m := range x.Methods.List {
				for _, name := range m.Names {
					e.members[name.Name] = append(e.members[name.Name], "")
				}
			}
		}
		return true
	})
	if !s.Test {
		for _, d := range s.File.Decls {
			e.need(s.Package, d)
		}
	}
}

// need takes over the types that an exported declaration names.
func (e *exports) need(pkg string, d ast.Decl) {
	types := func(n ast.Node) {
		ast.Inspect(n, func(n ast.Node) bool {
			if f, ok := n.(*ast.Field); ok && len(f.Names) > 0 && !f.Names[0].IsExported() {
				_, inParameters := f.Type.(*ast.FuncType)
				return inParameters
			}
			if id, ok := n.(*ast.Ident); ok {
				e.needed[pkg+"."+id.Name] = true
			}
			return true
		})
	}
	switch x := d.(type) {
	case *ast.FuncDecl:
		if x.Name.IsExported() {
			for _, list := range []*ast.FieldList{x.Type.Params, x.Type.Results} {
				for _, f := range fieldsOf(list) {
					types(f.Type)
				}
			}
		}
	case *ast.GenDecl:
		for _, spec := range x.Specs {
			switch v := spec.(type) {
			case *ast.TypeSpec:
				if v.Name.IsExported() {
					types(v.Type)
				}
			case *ast.ValueSpec:
				if v.Names[0].IsExported() && v.Type != nil {
					types(v.Type)
				}
			}
		}
	}
}

func fieldsOf(list *ast.FieldList) []*ast.Field {
	if list == nil {
		return nil
	}
	return list.List
}

// member finds the members of values that a template says.
var member = regexp.MustCompile(`\.([A-Z]\w*)`)

// templates takes over what the templates below a folder say.
func (e *exports) templates(root string) error {
	return filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".html") {
			return err
		}
		text, err := os.ReadFile(path)
		for _, m := range member.FindAllSubmatch(text, -1) {
			e.members[string(m[1])] = append(e.members[string(m[1])], "")
		}
		return err
	})
}

// declared are the names that a file exports.
func declared(f *ast.File) (list []string) {
	for _, d := range f.Decls {
		switch x := d.(type) {
		case *ast.FuncDecl:
			switch {
			case !x.Name.IsExported():
			case x.Recv == nil:
				list = append(list, x.Name.Name)
			case ast.IsExported(receiver(x.Recv.List[0].Type)):
				list = append(list, receiver(x.Recv.List[0].Type)+"."+x.Name.Name)
			}
		case *ast.GenDecl:
			list = append(list, specified(x)...)
		}
	}
	return list
}

// specified are the names that a declaration exports, but constants of an exported type.
func specified(d *ast.GenDecl) (list []string) {
	typed := false // of a group of constants: the last type that was told is exported
	for _, spec := range d.Specs {
		switch x := spec.(type) {
		case *ast.TypeSpec:
			if x.Name.IsExported() {
				list = append(list, x.Name.Name)
			}
		case *ast.ValueSpec:
			if d.Tok == token.CONST && (x.Type != nil || len(x.Values) > 0) {
				typed = ast.IsExported(receiver(x.Type))
			}
			for _, name := range x.Names {
				if name.IsExported() && !typed {
					list = append(list, name.Name)
				}
			}
		}
	}
	return list
}
