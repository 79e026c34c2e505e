package aisearch

import (
	"regexp"
	"strings"
)

// clause is a node of a parsed query in full Lucene syntax
// (https://learn.microsoft.com/azure/search/query-lucene-syntax). The supported part is: words and words*, "phrases",
// field:, parentheses, and either AND or OR throughout a group. A mix of AND and OR is refused, because their
// precedence is surprising. Adjacent words are refused, because their meaning depends on searchMode.
type clause struct {
	and  bool // true if all clauses of the group must match, false if any of them suffices
	kids []clause

	field  string // "" for the fields in searchFields
	text   string
	quoted bool
	prefix bool
}

type luceneParser struct {
	d    *definition
	rest string
	n    int // number of clauses
}

func (d *definition) parseLucene(query string) (clause, error) {
	p := &luceneParser{d: d, rest: query}
	c, err := p.group()
	if err == nil && p.rest != "" {
		err = refuse("Failed to parse query string at %.40q", p.rest)
	}
	return c, err
}

func (p *luceneParser) accept(prefix string) bool {
	rest, found := strings.CutPrefix(p.rest, prefix)
	p.rest = rest
	return found
}

func (p *luceneParser) group() (clause, error) {
	var g clause
	operator := ""
	for {
		c, err := p.unit()
		if err != nil {
			return g, err
		}
		g.kids = append(g.kids, c)
		next := ""
		switch {
		case p.accept(" AND "):
			next = "AND"
		case p.accept(" OR "):
			next = "OR"
		default:
			g.and = operator == "AND"
			return g, nil
		}
		if operator != "" && next != operator {
			return g, refuse("Failed to parse query string: AND beside OR")
		}
		operator = next
	}
}

// Plain terms: letters, digits, and special characters after a backslash
// (https://learn.microsoft.com/azure/search/query-lucene-syntax#escaping-special-characters).
var (
	term      = regexp.MustCompile(`^(?:\\.|[^-+&|!(){}\[\]^"~*?:\\/\s])+`)
	fieldHead = regexp.MustCompile(`^([A-Za-z_][A-Za-z0-9_]*):`)
	phrase    = regexp.MustCompile(`^"((?:\\.|[^"\\])*)"`)
	escape    = regexp.MustCompile(`\\(.)`)
)

func (p *luceneParser) unit() (clause, error) {
	if p.n++; p.n > maxClauses {
		return clause{}, refuse("more than %d clauses", maxClauses)
	}
	var c clause
	if m := fieldHead.FindStringSubmatch(p.rest); m != nil {
		if f := p.d.field(m[1]); f == nil || !f.Searchable {
			return c, refuse("%q is not a searchable field", m[1])
		}
		c.field, p.rest = m[1], p.rest[len(m[0]):]
	}
	if c.field == "" && p.accept("(") {
		g, err := p.group()
		if err == nil && !p.accept(")") {
			err = refuse("Failed to parse query string: no ) at %.40q", p.rest)
		}
		return g, err
	}
	if m := phrase.FindStringSubmatch(p.rest); m != nil {
		c.text, c.quoted, p.rest = escape.ReplaceAllString(m[1], "$1"), true, p.rest[len(m[0]):]
		return c, nil
	}
	m := term.FindString(p.rest)
	if m == "" || m == "AND" || m == "OR" || m == "NOT" {
		return c, refuse("Failed to parse query string at %.40q", p.rest)
	}
	c.text, p.rest = escape.ReplaceAllString(m, "$1"), p.rest[len(m):]
	if c.prefix = p.accept("*"); c.prefix && len([]rune(c.text)) > 1000 {
		return c, refuse("prefix of more than 1000 characters")
	}
	return c, nil
}
