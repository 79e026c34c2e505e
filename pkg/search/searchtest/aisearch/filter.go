package aisearch

import (
	"regexp"
	"slices"
	"strings"
	"time"
)

// filter is a parsed OData expression. The supported part is: eq, ne, gt, ge, lt and le between a field and a string
// or time; search.in; any with equality over a collection of strings; and, or, not, and parentheses
// (https://learn.microsoft.com/azure/search/search-query-odata-syntax-reference).
type filter func(document) bool

// odata matches the tokens of an expression.
var odata = regexp.MustCompile(`^(?:search\.in|[A-Za-z_][A-Za-z0-9_]*(?:/any)?|'(?:[^']|'')*'|[0-9]{4}-[0-9-]+T[0-9:.]+Z|[(),:])`)

type filterParser struct {
	d      *definition
	pieces []string
}

func (d *definition) parseFilter(expression string) (filter, error) {
	p := &filterParser{d: d}
	for rest := strings.TrimSpace(expression); rest != ""; rest = strings.TrimLeft(rest, " ") {
		piece := odata.FindString(rest)
		if piece == "" {
			return nil, refuse("Invalid expression: syntax error at %.40q", rest)
		}
		p.pieces = append(p.pieces, piece)
		rest = rest[len(piece):]
	}
	f, err := p.or()
	if err == nil && len(p.pieces) > 0 {
		err = refuse("Invalid expression: %q is left", p.pieces[0])
	}
	return f, err
}

func (p *filterParser) next() string {
	if len(p.pieces) == 0 {
		return ""
	}
	piece := p.pieces[0]
	p.pieces = p.pieces[1:]
	return piece
}

func (p *filterParser) accept(piece string) bool {
	if len(p.pieces) > 0 && p.pieces[0] == piece {
		p.pieces = p.pieces[1:]
		return true
	}
	return false
}

func (p *filterParser) or() (filter, error) {
	left, err := p.and()
	for err == nil && p.accept("or") {
		var right filter
		one := left
		right, err = p.and()
		left = func(d document) bool { return one(d) || right(d) }
	}
	return left, err
}

func (p *filterParser) and() (filter, error) {
	left, err := p.factor()
	for err == nil && p.accept("and") {
		var right filter
		one := left
		right, err = p.factor()
		left = func(d document) bool { return one(d) && right(d) }
	}
	return left, err
}

func (p *filterParser) factor() (filter, error) {
	switch {
	case p.accept("not"):
		f, err := p.factor()
		return func(d document) bool { return !f(d) }, err
	case p.accept("("):
		f, err := p.or()
		if err == nil && !p.accept(")") {
			err = refuse("Invalid expression: no )")
		}
		return f, err
	case p.accept("search.in"):
		return p.in()
	}
	return p.comparison()
}

func (p *filterParser) field(name string) error {
	if f := p.d.field(name); f == nil || !f.Filterable {
		return refuse("Invalid expression: '%s' is not a filterable field", name)
	}
	return nil
}

func (p *filterParser) text() (string, error) {
	piece := p.next()
	if len(piece) < 2 || piece[0] != '\'' {
		return "", refuse("Invalid expression: %q is no string", piece)
	}
	return strings.ReplaceAll(piece[1:len(piece)-1], "''", "'"), nil
}

// value parses the value to compare a field with: a string, or a time without quotes.
func (p *filterParser) value(name string) (string, error) {
	if p.d.field(name).Type != timeType {
		return p.text()
	}
	piece := p.next()
	if _, err := time.Parse(time.RFC3339, piece); err != nil {
		return "", refuse("Invalid expression: %q is no time", piece)
	}
	return piece, nil
}

// in parses search.in(field, 'a,b', ',')
// (https://learn.microsoft.com/azure/search/search-query-odata-search-in-function).
func (p *filterParser) in() (filter, error) {
	open, name, comma := p.next(), p.next(), p.next()
	values, err := p.text()
	if err != nil {
		return nil, err
	}
	second := p.next()
	delimiters, err := p.text()
	if err != nil {
		return nil, err
	}
	if open != "(" || comma != "," || second != "," || !p.accept(")") || delimiters == "" {
		return nil, refuse("Invalid expression: search.in")
	}
	set := strings.FieldsFunc(values, func(r rune) bool { return strings.ContainsRune(delimiters, r) })
	return func(d document) bool { s, ok := d[name].(string); return ok && slices.Contains(set, s) }, p.field(name)
}

func (p *filterParser) comparison() (filter, error) {
	if name, any := strings.CutSuffix(strings.Join(p.pieces[:min(1, len(p.pieces))], ""), "/any"); any {
		return p.any(name)
	}
	name, operator := p.next(), p.next()
	if f := p.d.field(name); f != nil && f.Type == stringsType {
		return nil, refuse("Invalid expression: '%s' is a collection", name)
	}
	if err := p.field(name); err != nil {
		return nil, err
	}
	want, err := p.value(name)
	if err != nil {
		return nil, err
	}
	holds := map[string]func(int) bool{
		"eq": func(c int) bool { return c == 0 }, "ne": func(c int) bool { return c != 0 },
		"gt": func(c int) bool { return c > 0 }, "ge": func(c int) bool { return c >= 0 },
		"lt": func(c int) bool { return c < 0 }, "le": func(c int) bool { return c <= 0 },
	}[operator]
	if holds == nil {
		return nil, refuse("Invalid expression: operator %q", operator)
	}
	return func(d document) bool {
		have, ok := d[name].(string)
		return ok && holds(strings.Compare(have, want))
	}, nil
}

// any parses field/any(x: x eq 'a'). Equality is the only comparison that it supports for collections of strings
// (https://learn.microsoft.com/azure/search/search-query-odata-collection-operators).
func (p *filterParser) any(name string) (filter, error) {
	p.next()
	open, variable, colon, again, operator := p.next(), p.next(), p.next(), p.next(), p.next()
	want, err := p.text()
	if err != nil {
		return nil, err
	}
	if f := p.d.field(name); f == nil || f.Type != stringsType || open != "(" || colon != ":" || again != variable ||
		operator != "eq" || !p.accept(")") {
		return nil, refuse("Invalid expression: %s/any", name)
	}
	return func(d document) bool { return slices.Contains(texts(d[name]), want) }, p.field(name)
}
