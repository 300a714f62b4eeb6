package layers

import (
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/tools/go/packages"
)

// TestOtherSystems reads the types of the whole program and of its tests, with all that they import,
// as the compilers for macOS and Windows would. Nothing is compiled: that takes minutes.
func TestOtherSystems(t *testing.T) {
	if testing.Short() {
		t.Skip("the same code as without -short")
	}
	for _, target := range [][2]string{{"darwin", "arm64"}, {"windows", "amd64"}} {
		t.Run(target[0], func(t *testing.T) {
			t.Parallel()
			list, err := packages.Load(&packages.Config{
				Mode: packages.NeedName | packages.NeedImports | packages.NeedDeps | packages.NeedTypes |
					packages.NeedSyntax,
				Tests: true,
				Dir:   filepath.Join("..", ".."),
				Env:   append(os.Environ(), "GOOS="+target[0], "GOARCH="+target[1], "CGO_ENABLED=0"),
			}, "./...")
			if err != nil {
				t.Fatal(err)
			}
			if len(list) < 100 {
				t.Fatalf("%d packages, so that most were not read", len(list))
			}
			packages.Visit(list, nil, func(p *packages.Package) {
				for _, err := range p.Errors {
					t.Error(err)
				}
			})
		})
	}
}
