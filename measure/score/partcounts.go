package main

import (
	"regexp"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/net/html"
)

// counting is what counts the units of a list: numbers in ids, classes and texts that go up by one, and classes that
// change turns, as odd and even. When units come, go or move, the page counts them again.
type counting struct {
	first  map[string]int // the number of the first unit, by what has it
	parity [2]string      // classes of the units, in turns
	start  int            // which of them the first unit has
}

var counted = regexp.MustCompile(`^(.*?)(\d{1,4})(\D*)$`)

// slots calls f for what may count a unit: an id, a class, an attribute or a first text that has one number.
func slots(u *unit, f func(slot string, number int, set func(int))) {
	for i, n := range u.nodes {
		eachTextAndAttribute(n, func(at *html.Node, key, value string) {
			switch key {
			case "", "id", "for", "class", "data-index", "data-position", "data-row", "aria-posinset", "aria-rowindex",
				"value", "name":
			default:
				return
			}
			for j, token := range strings.Fields(value) {
				m := counted.FindStringSubmatch(token)
				if m == nil || key == "" && !countsText(j, m, strings.TrimSpace(value) == token) {
					continue
				}
				number, err := strconv.Atoi(m[2])
				if err != nil { // Unreachable: four digits at most.
					continue
				}
				slot := strconv.Itoa(i) + key + strconv.Itoa(j) + m[1] + "#" + m[3]
				f(slot, number, func(to int) {
					if key == "" {
						at.Data = strings.Replace(at.Data, m[2], strconv.Itoa(to), 1)
						return
					}
					tokens := strings.Fields(attribute(at, key))
					if j < len(tokens) {
						tokens[j] = m[1] + strconv.Itoa(to) + m[3]
					}
					setAttribute(at, key, strings.Join(tokens, " "))
				})
			}
		})
	}
}

// countsText reports whether a word of a text may count: a number that is all of the text, or the first word, as in
// "2. Fees".
func countsText(word int, m []string, whole bool) bool {
	sign := m[3] == "." || m[3] == ")"
	return word == 0 && m[1] == "" && (sign || whole && m[3] == "")
}

// countsOf finds what counts the units of a list.
func countsOf(group []*unit) counting {
	c := counting{first: map[string]int{}}
	const least = 3
	if len(group) < least {
		return c
	}
	number := map[string][]int{}
	for _, u := range group {
		own := map[string]bool{}
		slots(u, func(slot string, n int, _ func(int)) {
			if !own[slot] {
				own[slot] = true
				number[slot] = append(number[slot], n)
			}
		})
	}
	for slot, all := range number {
		up := len(all) == len(group) && all[0] <= 1
		for i, n := range all {
			up = up && n == all[0]+i
		}
		if up {
			c.first[slot] = all[0]
		}
	}
	for _, pair := range [][2]string{{"odd", "even"}, {"alt", "noalt"}, {"row-odd", "row-even"}} {
		for start := range 2 {
			turns := true
			for i, u := range group {
				turns = turns && slices.Contains(strings.Fields(attribute(u.nodes[0], "class")), pair[(i+start)%2])
			}
			if turns {
				c.parity, c.start = pair, start
			}
		}
	}
	return c
}

// again counts the units in their new order.
func (c counting) again(group []*unit) {
	for i, u := range group {
		done := map[string]bool{}
		slots(u, func(slot string, _ int, set func(int)) {
			if first, ok := c.first[slot]; ok && !done[slot] {
				done[slot] = true
				set(first + i)
			}
		})
		if c.parity[0] == "" || attribute(u.nodes[0], "class") == "" {
			continue
		}
		tokens := strings.Fields(attribute(u.nodes[0], "class"))
		for j, t := range tokens {
			if t == c.parity[0] || t == c.parity[1] {
				tokens[j] = c.parity[(i+c.start)%2]
			}
		}
		setAttribute(u.nodes[0], "class", strings.Join(tokens, " "))
	}
}
