package main

import (
	"fmt"
	"hash/fnv"
	"strconv"
	"strings"

	"golang.org/x/net/html"
)

// suffixes makes the classes such as a program makes them, and then builds the page again with other ones.
func (e *edited) suffixes() bool {
	style := e.rng.IntN(5)
	old, now := e.rng.Uint64(), e.rng.Uint64()
	if !hasClasses(e.at) || e.before == nil {
		return false
	}
	e.plain, e.style = cloneTree(e.before, map[*html.Node]*html.Node{}), style
	restyle(e.before, func(c string) string { return suffixed(c, style, old) }, false)
	restyle(e.root, func(c string) string { return suffixed(c, style, now) }, false)
	return true
}

// suffixed returns a class as CSS modules, styled components and the like make it.
func suffixed(class string, style int, seed uint64) string {
	h := fnv.New64a()
	fmt.Fprint(h, seed, class)
	x := h.Sum64()
	const letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_"
	var b strings.Builder
	for range 5 {
		b.WriteByte(letters[x%uint64(len(letters))])
		x /= uint64(len(letters))
	}
	switch style {
	case 0:
		return class + "__" + b.String()
	case 1:
		return "Page_" + class + "__" + b.String()
	case 2:
		return "css-" + strings.ToLower(strings.Trim(b.String(), "_")) + "-" + class
	case 3:
		return "sc-" + b.String()
	}
	return class + "_" + b.String() + "_" + strconv.FormatUint(x%100, 10)
}

// renameNear renames the classes of the unit, of what is in it and of two elements around it, wherever they are.
func (e *edited) renameNear() bool {
	names := map[string]bool{}
	take := func(n *html.Node) {
		for _, c := range strings.Fields(attribute(n, "class")) {
			names[c] = true
		}
	}
	for _, u := range e.at.group {
		for _, n := range u.nodes {
			take(n)
			for c := range n.Descendants() {
				take(c)
			}
		}
	}
	for n, i := e.at.among.nodes[0].Parent, 0; n != nil && i < 2; n, i = n.Parent, i+1 {
		take(n)
	}
	if len(names) == 0 {
		return false
	}
	rename := e.renamer()
	restyle(e.root, func(c string) string {
		if names[c] {
			return rename(c)
		}
		return c
	}, false)
	return true
}

func (e *edited) renameAll() bool {
	if !hasClasses(e.at) {
		return false
	}
	restyle(e.root, e.renamer(), e.rng.IntN(5) == 0)
	return true
}

var styleWords = strings.Fields(`tile block media box panel stack grid cell body head info meta text lead wrap inner
	outer entry line list item copy main base core flex cluster center cover frame`)

// renamer returns a function that gives each class another name, always the same.
func (e *edited) renamer() func(string) string {
	names, taken := map[string]string{}, map[string]bool{}
	join := []string{"-", "__", "_", "--"}[e.rng.IntN(4)]
	return func(class string) string {
		for names[class] == "" {
			name := styleWords[e.rng.IntN(len(styleWords))] + join + styleWords[e.rng.IntN(len(styleWords))]
			if taken[name] {
				name += join + strconv.Itoa(len(names))
			}
			if !taken[name] {
				names[class], taken[name] = name, true
			}
		}
		return names[class]
	}
}

// restyle gives each class of a page, and each id if asked, another name.
func restyle(root *html.Node, name func(string) string, ids bool) {
	for n := range root.Descendants() {
		for i, a := range n.Attr {
			switch {
			case a.Key == "class":
				tokens := strings.Fields(a.Val)
				for j := range tokens {
					tokens[j] = name(tokens[j])
				}
				n.Attr[i].Val = strings.Join(tokens, " ")
			case a.Key == "id" && ids && a.Val != "":
				n.Attr[i].Val = name("#" + a.Val)
			}
		}
	}
}

// hasClasses reports whether the element, what is in it or close around it has a class.
func hasClasses(at *element) bool {
	for n, i := at.node, 0; n != nil && i < 4; n, i = n.Parent, i+1 {
		if attribute(n, "class") != "" {
			return true
		}
	}
	return false
}
