// Lists the definitions that go/parser sees, as JSON lines {path, name, line, kind}.
// Usage: go run go.go < files > definitions.jsonl
// By Satori's rules: functions, methods, types at any depth, named fields of named types, package-level values.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
)

func main() {
	input := bufio.NewScanner(os.Stdin)
	for input.Scan() {
		list(input.Text())
	}
}

func list(path string) {
	set := token.NewFileSet()
	file, err := parser.ParseFile(set, path, nil, parser.SkipObjectResolution)
	if err != nil {
		failed, _ := json.Marshal(map[string]any{"path": path, "failed": err.Error()})
		fmt.Println(string(failed))
		return
	}
	emit := func(name *ast.Ident, kind string) {
		if name.Name == "_" {
			return
		}
		line, _ := json.Marshal(map[string]any{"path": path, "name": name.Name, "line": set.Position(name.Pos()).Line, "kind": kind})
		fmt.Println(string(line))
	}
	var members func(expression ast.Expr)
	members = func(expression ast.Expr) {
		switch kind := expression.(type) {
		case *ast.StructType:
			for _, field := range kind.Fields.List {
				for _, name := range field.Names {
					emit(name, "property")
				}
				members(field.Type)
			}
		case *ast.InterfaceType:
			for _, method := range kind.Methods.List {
				for _, name := range method.Names {
					emit(name, "method")
				}
			}
		case *ast.ArrayType:
			members(kind.Elt)
		case *ast.MapType:
			members(kind.Value)
		case *ast.StarExpr:
			members(kind.X)
		case *ast.ChanType:
			members(kind.Value)
		}
	}
	for _, declaration := range file.Decls {
		switch one := declaration.(type) {
		case *ast.FuncDecl:
			emit(one.Name, "function")
		case *ast.GenDecl:
			for _, spec := range one.Specs {
				if value, ok := spec.(*ast.ValueSpec); ok {
					for _, name := range value.Names {
						emit(name, "constant")
					}
				}
			}
		}
	}
	ast.Inspect(file, func(node ast.Node) bool {
		if spec, ok := node.(*ast.TypeSpec); ok {
			emit(spec.Name, "type")
			members(spec.Type)
		}
		return true
	})
}
