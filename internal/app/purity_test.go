package app_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"strings"
	"testing"
)

// TestPurePackages holds what no linter does: the pure packages start no goroutine and read no clock.
func TestPurePackages(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"id", "fault", "planner", "workflow", "booking"} {
		files, err := filepath.Glob(filepath.Join("..", "..", "store", name, "*.go"))
		if err != nil || len(files) == 0 {
			t.Fatalf("no sources of %s: %v", name, err)
		}
		for _, file := range files {
			if !strings.HasSuffix(file, "_test.go") {
				checkPure(t, file)
			}
		}
	}
}

func checkPure(t *testing.T, file string) {
	t.Helper()
	fset := token.NewFileSet()
	tree, err := parser.ParseFile(fset, file, nil, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	ast.Inspect(tree, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.GoStmt:
			t.Errorf("%v: a goroutine in a pure package", fset.Position(n.Pos()))
		case *ast.SelectorExpr:
			if x, ok := n.X.(*ast.Ident); ok && x.Name == "time" && readsClock(n.Sel.Name) {
				t.Errorf("%v: time.%s in a pure package", fset.Position(n.Pos()), n.Sel.Name)
			}
		}
		return true
	})
}

func readsClock(name string) bool {
	switch name {
	case "Now", "Since", "Until", "After", "AfterFunc", "NewTimer", "NewTicker", "Tick", "Sleep":
		return true
	}
	return false
}
