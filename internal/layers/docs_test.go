package layers

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode"
)

var (
	link    = regexp.MustCompile(`\]\(([^)#:]*)(?:#([^)]*))?\)`)
	heading = regexp.MustCompile(`(?m)^#+ (.*)$`)
	code    = regexp.MustCompile("`([a-z]+(?:/[a-z]+)*)\\.([A-Z][A-Za-z]+)`")
)

// TestDocuments checks that documents name only what exists: files that they link to, headings in
// them, and identifiers of our packages that they write as `package.Name`.
func TestDocuments(t *testing.T) {
	root := filepath.Join("..", "..")
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && d.Name() != ".." && strings.HasPrefix(d.Name(), "."):
			return filepath.SkipDir
		case d.IsDir() || !strings.HasSuffix(path, ".md"):
			return nil
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		for _, m := range link.FindAllStringSubmatch(string(text), -1) {
			target := path
			if m[1] != "" {
				target = filepath.Join(filepath.Dir(path), m[1])
			}
			if _, err := os.Stat(target); err != nil {
				t.Errorf("%s links to %s: %v", path, m[1], err)
			} else if m[2] != "" && strings.HasSuffix(target, ".md") && !hasHeading(t, target, m[2]) {
				t.Errorf("%s links to %s#%s: there is no such heading", path, m[1], m[2])
			}
		}
		for _, m := range code.FindAllStringSubmatch(string(text), -1) {
			if isPackage(filepath.Join(root, m[1])) && !declares(t, filepath.Join(root, m[1]), m[2]) {
				t.Errorf("%s names %s.%s, which is not declared", path, m[1], m[2])
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// isPackage reports whether a folder has Go files.
func isPackage(dir string) bool {
	files, err := filepath.Glob(filepath.Join(dir, "*.go"))
	return err == nil && len(files) > 0
}

// hasHeading reports whether a document has a heading with that anchor: its letters, digits and
// hyphens in lower case, hyphens for blanks, as GitHub makes it.
func hasHeading(t *testing.T, path, anchor string) bool {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range heading.FindAllStringSubmatch(string(text), -1) {
		made := strings.Map(func(r rune) rune {
			switch {
			case r == ' ':
				return '-'
			case r == '-' || r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r):
				return unicode.ToLower(r)
			}
			return -1
		}, m[1])
		if made == anchor {
			return true
		}
	}
	return false
}

// declares reports whether a package declares a type, function, method or constant of that name.
func declares(t *testing.T, dir, name string) bool {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	pattern := regexp.MustCompile(`(?m)^(type |func (\([^)]*\) )?|\t|var |const )` + name + `\b`)
	for _, f := range files {
		text, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		if !strings.HasSuffix(f, "_test.go") && pattern.Match(text) {
			return true
		}
	}
	return false
}
