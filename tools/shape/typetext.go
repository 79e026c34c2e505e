package main

import (
	"fmt"
	"go/types"
	"strings"
)

// textOf writes a type so that identical types have one text, also when they were loaded apart: without aliases and
// the names of parameters, and with the paths of packages.
func textOf(t types.Type) string {
	t = types.Unalias(t)
	switch t := t.(type) {
	case *types.Pointer:
		return "*" + textOf(t.Elem())
	case *types.Slice:
		return "[]" + textOf(t.Elem())
	case *types.Array:
		return fmt.Sprintf("[%d]%s", t.Len(), textOf(t.Elem()))
	case *types.Map:
		return "map[" + textOf(t.Key()) + "]" + textOf(t.Elem())
	case *types.Chan:
		return fmt.Sprintf("chan%d %s", t.Dir(), textOf(t.Elem()))
	case *types.Signature:
		variadic := ""
		if t.Variadic() {
			variadic = "..."
		}
		return "func(" + tupleText(t.Params()) + variadic + ")(" + tupleText(t.Results()) + ")"
	case *types.Named:
		text := t.Obj().Name()
		if t.Obj().Pkg() != nil {
			text = t.Obj().Pkg().Path() + "." + text
		}
		for arg := range t.TypeArgs().Types() {
			text += "[" + textOf(arg) + "]"
		}
		return text
	}
	return types.TypeString(t, (*types.Package).Path)
}

func tupleText(t *types.Tuple) string {
	var all []string
	for v := range t.Variables() {
		all = append(all, textOf(v.Type()))
	}
	return strings.Join(all, ", ")
}
