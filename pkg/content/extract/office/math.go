package office

import (
	"encoding/xml"
	"strings"
)

// equation reads an m:oMath (part 1 §22.1) as text on one line, such as x^2 or a/b. The text is good enough to search
// and understand; it is not meant for typesetting.
type equation struct {
	*xmlPart
	write func([]byte)
	run   func(xml.StartElement) // reads an element that holds text
	text  *[]byte                // what was written
}

// fraction reads a fraction (§22.1.2.36). Without a bar, it is a binomial.
func (q equation) fraction() {
	sign := "/"
	q.children(func(e xml.StartElement) {
		switch e.Name.Local {
		case "fPr":
			q.named("type", func(e xml.StartElement) {
				if attr(e, "val") == "noBar" {
					sign = " choose "
				}
			})
		case "den":
			q.write([]byte(sign))
			q.group()
		default:
			q.group()
		}
	})
}

// group reads the content of an element. It puts brackets around what has several terms, unless it has them.
func (q equation) group() {
	start := len(*q.text)
	q.children(q.visit)
	if start > len(*q.text) { // a text box has begun another paragraph
		return
	}
	term := strings.TrimSpace(string((*q.text)[start:]))
	if last := strings.LastIndexAny(term, "+-−*/·× ="); last <= 0 || isBracketed(term) {
		return
	}
	*q.text = append((*q.text)[:start], "("+term+")"...)
}

// isBracketed reports whether one pair of brackets is around a term.
func isBracketed(term string) bool {
	depth := 0
	for i, r := range term {
		switch r {
		case '(', '[', '{':
			depth++
		case ')', ']', '}':
			if depth--; depth == 0 {
				return i == len(term)-1
			}
		}
		if depth == 0 {
			return false
		}
	}
	return false
}

// signs maps elements to the signs that are written before their content.
var signs = map[string]string{"sup": "^", "sub": "_", "lim": "_"}

func (q equation) read() { q.children(q.visit) }

// based reads a part of a root or a power, whose base is a group.
func (q equation) based(e xml.StartElement) {
	if e.Name.Local == "e" {
		q.group()
	} else {
		q.visit(e)
	}
}

func (q equation) visit(e xml.StartElement) {
	switch e.Name.Local {
	case "r", "t":
		q.run(e)
	case "d":
		q.operator(map[string]string{"begChr": "(", "endChr": ")"})
	case "nary":
		q.operator(map[string]string{"chr": "∫"})
	case "rad":
		q.write([]byte("√"))
		q.children(q.based)
	case "f":
		q.fraction()
	case "sSup", "sSub", "sSubSup":
		q.children(q.based)
	case "sup", "sub", "lim":
		q.write([]byte(signs[e.Name.Local]))
		q.group()
	case "fName", "mr":
		q.children(q.visit)
		q.write([]byte(" "))
	case "del", "moveFrom", "ctrlPr":
		// The element holds deleted text, or is about the text.
	default:
		q.children(q.visit)
	}
}

// operator reads an element such as parentheses (§22.1.2.24) or a sum (§22.1.2.70). The characters are those in the
// properties of the element, or else those in chars.
func (q equation) operator(chars map[string]string) {
	started := false
	q.children(func(e xml.StartElement) {
		if e.Name.Local == "dPr" || e.Name.Local == "naryPr" {
			q.children(func(e xml.StartElement) {
				if _, found := chars[e.Name.Local]; found {
					chars[e.Name.Local] = attr(e, "val")
				}
			})
			return
		}
		if !started {
			q.write([]byte(chars["begChr"] + chars["chr"]))
		}
		started = true
		q.visit(e)
	})
	q.write([]byte(chars["endChr"]))
}
