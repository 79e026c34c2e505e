package main

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/net/html"
)

// newUnit returns a copy of a unit with texts and addresses of its own.
func (e *edited) newUnit() *unit {
	const tries = 5
	for range tries {
		like := e.at.group[e.rng.IntN(len(e.at.group))]
		u := e.copyOf(like)
		if key := u.key; like.key == "" || key != "" && e.at.page.keys[e.at.scope+"\n"+key] == 0 &&
			!slices.ContainsFunc(e.at.group, func(o *unit) bool { return o.key == key || o.text() == u.text() }) {
			return u
		}
	}
	return nil
}

// copyOf copies a unit. What other units have as well stays; the rest is made anew.
func (e *edited) copyOf(like *unit) *unit {
	shared := map[string]int{} // texts and attributes, by the number of units that have them
	for _, u := range e.at.group {
		own := map[string]bool{}
		for _, n := range u.nodes {
			eachTextAndAttribute(n, func(_ *html.Node, key, value string) { own[key+"="+value] = true })
		}
		for s := range own {
			shared[s]++
		}
	}
	u, copies := &unit{}, map[*html.Node]*html.Node{}
	for _, n := range like.nodes {
		c := cloneTree(n, copies)
		u.nodes = append(u.nodes, c)
	}
	if u.named = copies[like.named]; like.named == nil {
		u.named = nil
	}
	for _, c := range u.nodes {
		e.renew(c, u, shared)
	}
	switch {
	case like.key == "":
	case u.named == nil && e.at.scope == "label":
		_, _, key := labelled(u.nodes[0])
		u.key = fold(key)
	case u.named == nil:
		u.key = u.text()
	default:
		u.key = fold(strings.TrimRight(shown(u.named), " :："))
		if e.at.scope != "label" {
			u.key = fold(shown(u.named))
		}
	}
	return u
}

// renew gives a copy other texts, addresses and ids.
func (e *edited) renew(root *html.Node, u *unit, shared map[string]int) {
	eachTextAndAttribute(root, func(n *html.Node, key, value string) {
		own := shared[key+"="+value] < 2
		switch key {
		case "":
			if own || u.named == nil && e.at.form != formProse || holds(u.named, n) {
				n.Data = e.otherText(value)
			}
		case "alt", "title", "aria-label":
			if own {
				setAttribute(n, key, e.otherText(value))
			}
		case "id", "for", "name", "aria-labelledby", "aria-describedby", "href", "src", "srcset", "datetime":
			if own || key == "id" {
				setAttribute(n, key, e.otherNumber(value))
			}
		case "class":
			tokens := strings.Fields(value)
			for i, t := range tokens {
				if own && anyDigit.MatchString(t) && strings.Contains(t, "-") {
					tokens[i] = e.otherNumber(t)
				}
			}
			setAttribute(n, key, strings.Join(tokens, " "))
		default:
			if own && strings.HasPrefix(key, "data-") {
				setAttribute(n, key, e.otherNumber(value))
			}
		}
	})
}

// eachTextAndAttribute calls f for each attribute, with its key, and for each text, with the key "".
func eachTextAndAttribute(root *html.Node, f func(n *html.Node, key, value string)) {
	visit := func(n *html.Node) {
		if n.Type == html.TextNode && strings.TrimSpace(n.Data) != "" {
			f(n, "", n.Data)
		}
		for _, a := range slices.Clone(n.Attr) {
			f(n, a.Key, a.Val)
		}
	}
	visit(root)
	for n := range root.Descendants() {
		visit(n)
	}
}

var (
	anyDigit = regexp.MustCompile(`\d`)
	digits   = regexp.MustCompile(`\d+`)
	anyWord  = regexp.MustCompile(`[\pL\pM]+`)
)

// otherNumber returns an address or id with other numbers, or with a suffix if it has none.
func (e *edited) otherNumber(s string) string {
	if !anyDigit.MatchString(s) {
		return s + "-" + strconv.FormatUint(e.rng.Uint64()%46656, 36)
	}
	return digits.ReplaceAllStringFunc(s, e.otherDigits)
}

// otherDigits returns another number with as many digits.
func (e *edited) otherDigits(s string) string {
	out := []byte(s)
	for string(out) == s {
		for i := range out {
			if out[i] = byte('0' + e.rng.IntN(10)); i == 0 && len(out) > 1 && out[0] == '0' && s[0] != '0' {
				out[0] = '1'
			}
		}
	}
	return string(out)
}

// otherText returns a text with other numbers and with other words of the page.
func (e *edited) otherText(s string) string {
	s = digits.ReplaceAllStringFunc(s, e.otherDigits)
	return anyWord.ReplaceAllStringFunc(s, e.otherWord)
}

func (e *edited) otherWord(w string) string {
	const tries = 10
	for range tries {
		if len(e.at.page.words) == 0 {
			break
		}
		o := e.at.page.words[e.rng.IntN(len(e.at.page.words))]
		if strings.EqualFold(o, w) {
			continue
		}
		if w == strings.ToLower(w) {
			return strings.ToLower(o)
		}
		first, size := utf8.DecodeRuneInString(o)
		return string(unicode.ToUpper(first)) + o[size:]
	}
	return w + "a"
}
