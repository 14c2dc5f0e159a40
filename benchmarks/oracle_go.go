// Says what go/types makes of every call of a tree, in the form that benchmarks/oracles.py reads as "sites".
//
//	go run benchmarks/oracle_go.go ROOT OUT [DIRECTORY...]
//
// ROOT is the tree, with its go.mod files; with directories only calls below those are written. Files are those that
// the go command would compile here, tests included. Packages that are not in the tree come from the toolchain and
// from downloaded modules; others are unknown, and so is what depends on them. A call of a function value, a conversion and a builtin
// are answered with <external>, since no definition of the tree is called.
package main

import (
	"bufio"
	"fmt"
	"go/ast"
	"go/build"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"os"
	"path/filepath"
	"regexp"
	"sort"
	"strings"
)

var (
	root    string
	fset    = token.NewFileSet()
	modules = map[string]string{} // path of a module: its directory
	parsed  = map[string]*ast.File{}
	checked = map[string]*types.Package{}
	outside = importer.ForCompiler(fset, "source", nil)
	named   = regexp.MustCompile(`(?m)^module[ \t]+"?([^\s"]+)`)
)

// files of a directory that are compiled here: the package's own, its tests, and the tests outside of it.
func files(dir string) (own, inner, outer []*ast.File) {
	context := build.Default
	entries, _ := os.ReadDir(dir)
	packages := map[string]int{}
	for _, entry := range entries {
		name := entry.Name()
		if entry.IsDir() || !strings.HasSuffix(name, ".go") {
			continue
		}
		if matches, err := context.MatchFile(dir, name); err != nil || !matches {
			continue
		}
		path := filepath.Join(dir, name)
		file := parsed[path]
		if file == nil {
			var err error
			if file, err = parser.ParseFile(fset, path, nil, 0); err != nil {
				continue
			}
			parsed[path] = file
		}
		switch {
		case !strings.HasSuffix(name, "_test.go"):
			own = append(own, file)
			packages[file.Name.Name]++
		case strings.HasSuffix(file.Name.Name, "_test"):
			outer = append(outer, file)
		default:
			inner = append(inner, file)
		}
	}
	if len(packages) > 1 {
		most := ""
		for name, count := range packages {
			if most == "" || count > packages[most] {
				most = name
			}
		}
		kept := own[:0]
		for _, file := range own {
			if file.Name.Name == most {
				kept = append(kept, file)
			}
		}
		own = kept
	}
	return own, inner, outer
}

type finder struct {
	own  string
	test *types.Package
}

func (f finder) Import(path string) (*types.Package, error) { return f.ImportFrom(path, "", 0) }

func (f finder) ImportFrom(path, _ string, _ types.ImportMode) (*types.Package, error) {
	if path == "unsafe" {
		return types.Unsafe, nil
	}
	if f.test != nil && path == f.own {
		return f.test, nil
	}
	if dir := directory(path); dir != "" {
		if known, seen := checked[path]; seen {
			if known == nil {
				return nil, fmt.Errorf("%s imports itself", path)
			}
			return known, nil
		}
		checked[path] = nil
		own, _, _ := files(dir)
		made := check(path, own, newInfo(), finder{})
		checked[path] = made
		return made, nil
	}
	from := root
	if _, own := modules["std"]; own {
		from = filepath.Join(build.Default.GOROOT, "src", "net")
	}
	return outside.(types.ImporterFrom).ImportFrom(path, from, 0)
}

func directory(path string) string {
	best, found := -1, ""
	for module, dir := range modules {
		inside := module == "std" || path == module || strings.HasPrefix(path, module+"/")
		if !inside || len(module) <= best {
			continue
		}
		rest := strings.TrimPrefix(path, module)
		if module == "std" {
			rest = path
		}
		full := filepath.Join(dir, rest)
		if info, err := os.Stat(full); err == nil && info.IsDir() {
			best, found = len(module), full
		}
	}
	return found
}

func newInfo() *types.Info {
	return &types.Info{
		Uses:       map[*ast.Ident]types.Object{},
		Types:      map[ast.Expr]types.TypeAndValue{},
		Selections: map[*ast.SelectorExpr]*types.Selection{},
	}
}

func check(path string, list []*ast.File, info *types.Info, imports finder) *types.Package {
	config := types.Config{Importer: imports, Error: func(error) {}, FakeImportC: true}
	made, _ := config.Check(path, fset, list, info)
	return made
}

func write(out *bufio.Writer, list []*ast.File, info *types.Info) {
	for _, file := range list {
		ast.Inspect(file, func(node ast.Node) bool {
			if call, ok := node.(*ast.CallExpr); ok {
				answer(out, call.Fun, info)
			}
			return true
		})
	}
}

func answer(out *bufio.Writer, fun ast.Expr, info *types.Info) {
	for {
		switch inner := fun.(type) {
		case *ast.ParenExpr:
			fun = inner.X
			continue
		case *ast.IndexExpr:
			fun = inner.X
			continue
		case *ast.IndexListExpr:
			fun = inner.X
			continue
		}
		break
	}
	var name *ast.Ident
	switch callee := fun.(type) {
	case *ast.Ident:
		name = callee
	case *ast.SelectorExpr:
		name = callee.Sel
	default:
		return
	}
	object := info.Uses[name]
	if object == nil {
		return
	}
	if typed, ok := info.Types[fun]; ok && !typed.IsType() && typed.Type == types.Typ[types.Invalid] {
		return
	}
	at := fset.Position(name.Pos())
	target, start := "<external>", -1
	if function, ok := object.(*types.Func); ok && function.Pos().IsValid() {
		place := fset.Position(function.Pos())
		if inside := relative(place.Filename); inside != "" {
			target, start = inside, place.Offset
		}
	}
	fmt.Fprintf(out, "%s\t%d\t%s\t%d\t%s\n", relative(at.Filename), at.Offset, target, start, name.Name)
}

// The path inside of the tree; "" for what is outside, copies in vendor included.
func relative(path string) string {
	inside, err := filepath.Rel(root, path)
	if err != nil || strings.HasPrefix(inside, "..") || strings.HasPrefix(inside, "vendor/") || strings.Contains(inside, "/vendor/") {
		return ""
	}
	return filepath.ToSlash(inside)
}

func main() {
	root, _ = filepath.Abs(os.Args[1])
	root, _ = filepath.EvalSymlinks(root)
	sink, err := os.Create(os.Args[2])
	if err != nil {
		panic(err)
	}
	out := bufio.NewWriter(sink)
	var directories []string
	filepath.Walk(root, func(path string, info os.FileInfo, err error) error {
		if err != nil {
			return nil
		}
		name := info.Name()
		if info.IsDir() {
			if path != root && (name == "vendor" || name == "testdata" || strings.HasPrefix(name, ".") || strings.HasPrefix(name, "_")) {
				return filepath.SkipDir
			}
			directories = append(directories, path)
		} else if name == "go.mod" {
			if data, err := os.ReadFile(path); err == nil {
				if found := named.FindSubmatch(data); found != nil {
					modules[string(found[1])] = filepath.Dir(path)
				}
			}
		}
		return nil
	})
	sort.Strings(directories)
	calls := 0
	for _, dir := range directories {
		inside, _ := filepath.Rel(root, dir)
		wanted := len(os.Args) <= 3
		for _, prefix := range os.Args[min(3, len(os.Args)):] {
			wanted = wanted || inside == prefix || strings.HasPrefix(inside, prefix+"/")
		}
		own, inner, outer := files(dir)
		if !wanted || len(own)+len(inner)+len(outer) == 0 {
			continue
		}
		path := pathOf(dir)
		info := newInfo()
		all := append(append([]*ast.File{}, own...), inner...)
		made := check(path, all, info, finder{})
		write(out, all, info)
		if len(outer) > 0 {
			info = newInfo()
			check(path+"_test", outer, info, finder{own: path, test: made})
			write(out, outer, info)
		}
		calls += len(all) + len(outer)
	}
	out.Flush()
	fmt.Println(calls, "files")
}

func min(a, b int) int {
	if a < b {
		return a
	}
	return b
}

func pathOf(dir string) string {
	best, found := -1, dir
	for module, home := range modules {
		if dir != home && !strings.HasPrefix(dir, home+string(filepath.Separator)) {
			continue
		}
		if len(home) > best {
			rest := strings.TrimPrefix(dir, home)
			prefix := module
			if module == "std" {
				prefix = ""
			}
			best, found = len(home), strings.Trim(prefix+filepath.ToSlash(rest), "/")
		}
	}
	return found
}
