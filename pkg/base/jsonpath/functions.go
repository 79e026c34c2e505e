package jsonpath

import (
	"errors"
	"fmt"
	"regexp/syntax"
	"slices"

	"github.com/theory/jsonpath/registry"
	"github.com/theory/jsonpath/spec"

	"github.com/tidemark/tidemark/pkg/base/pattern"
)

// Bounds of the regular expressions of a run.
const (
	maxProgram  = 500 // size of one, see [pattern.Pattern]
	maxPatterns = 200 // number of different ones, which may come from the document
)

// patterns are compiled regular expressions by their text; nil for one that is not correct.
type patterns map[string]*pattern.Pattern

// functions returns the functions of RFC 9535. They note the queries that are their arguments, for the costs. Those
// with regular expressions are replaced by bounded ones.
func (r *run) functions() *registry.Registry {
	reg := registry.New()
	for _, name := range []string{"length", "count", "value", "match", "search"} {
		f := reg.Get(name)
		was := *f
		evaluate := was.Evaluate
		whole := name == "match"
		if whole || name == "search" {
			evaluate = func(args []spec.PathValue) spec.PathValue { return spec.Logical(r.matches(args, whole)) }
		}
		// The registry refuses to register a name again, but hands out its own entry.
		*f = *spec.Extension(name, was.ReturnType(), func(args []spec.FuncExprArg) error {
			if err := was.Validate(args); err != nil {
				return err
			}
			r.note(args)
			return checkPattern(name, args)
		}, evaluate)
	}
	return reg
}

// note notes the queries among the arguments of a function.
func (r *run) note(args []spec.FuncExprArg) {
	for _, arg := range args {
		q, ok := arg.(*spec.PathQuery)
		if !ok {
			continue
		}
		r.noted = append(r.noted, q)
		if text := r.text(q); !slices.ContainsFunc(r.calls, func(c *spec.PathQuery) bool { return r.text(c) == text }) {
			r.calls = append(r.calls, q)
		}
	}
}

// checkPattern checks a regular expression that is written in a path.
func checkPattern(name string, args []spec.FuncExprArg) error {
	if name != "match" && name != "search" {
		return nil
	}
	literal, ok := args[1].(*spec.LiteralArg)
	if !ok {
		return nil
	}
	text, ok := literal.Value().(string)
	if !ok {
		return errors.New("takes a text as its second argument")
	}
	_, err := compile(text, name == "match")
	return err
}

// matches reports whether a text, the first argument, matches a regular expression, the second (RFC 9535 §2.4.6 and
// 7).
func (r *run) matches(args []spec.PathValue, whole bool) bool {
	text, ok := textOf(args[0])
	expr, is := textOf(args[1])
	if !ok || !is {
		return false
	}
	key := fmt.Sprint(whole, expr)
	p, known := r.patterns[key]
	if !known {
		if len(r.patterns) >= maxPatterns {
			panic(errSteps)
		}
		r.spend(1000)
		p, _ = compile(expr, whole) // nothing matches a wrong expression
		if r.patterns == nil {
			r.patterns = patterns{}
		}
		r.patterns[key] = p
	}
	if p == nil {
		return false
	}
	const perStep = 50 // bytes times instructions
	r.spend(float64(len(text)+1) * float64(p.Size) / perStep)
	return p.Regexp.MatchString(text)
}

func textOf(v spec.PathValue) (text string, ok bool) {
	value := spec.ValueFrom(v)
	if value == nil {
		return "", false
	}
	text, ok = value.Value().(string)
	return text, ok
}

// compile compiles a regular expression (RFC 9485), in which a dot stands for any character but the ends of lines.
func compile(text string, whole bool) (*pattern.Pattern, error) {
	tree, err := syntax.Parse(text, syntax.Perl|syntax.DotNL)
	if err != nil {
		return nil, err
	}
	replaceDots(tree)
	if text = tree.String(); whole {
		text = `\A(?:` + text + `)\z`
	}
	return pattern.Compile(text, maxProgram)
}

var notEndOfLine, _ = syntax.Parse("[^\n\r]", syntax.Perl)

func replaceDots(tree *syntax.Regexp) {
	if tree.Op == syntax.OpAnyChar {
		*tree = *notEndOfLine
		return
	}
	for _, sub := range tree.Sub {
		replaceDots(sub)
	}
}
