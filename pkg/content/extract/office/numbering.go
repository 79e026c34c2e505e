package office

import (
	"encoding/xml"
	"strconv"
	"strings"
)

// maxLevels is the number of levels of a list (part 1 §17.9.6).
const maxLevels = 9

// listLevel is the form of the item markers on one level of a list.
type listLevel struct {
	format string // "bullet", "none", a number format, or "" when undefined
	text   string // form of the marker, such as "%1.%2"; "" for the number and a full stop
	style  string // the style of paragraphs that belong to this level
	start  int
	legal  bool // numbers of all levels are written as decimal numbers
	counts bool // the count does not restart below an item of a higher level
}

// abstractList is the definition of a list. Several lists of a document may share one.
type abstractList struct {
	levels [maxLevels]listLevel
	link   string // the style that has the list to use instead
	counts counts
}

// counts are the numbers of items so far, by level.
type counts [maxLevels]int

// step counts an item and restarts the levels below it.
func (c *counts) step(level int) int {
	clear(c[level+1:])
	c[level]++
	return c[level]
}

// next counts an item and restarts the levels below it, except those that count on.
func (c *counts) next(level int, levels *[maxLevels]listLevel) {
	for below := level + 1; below < maxLevels; below++ {
		if !levels[below].counts {
			c[below] = 0
		}
	}
	c[level]++
}

// numbering is the numbering part (part 1 §17.9) with the current counts.
type numbering struct {
	abstract map[string]*abstractList
	lists    map[string]*numberedList
	styles   styles
}

// numberedList is one list of the document.
type numberedList struct {
	abstract string
	starts   map[int]int       // first numbers, by level; a list that sets one is numbered independently
	levels   map[int]listLevel // levels that have another form in this list
	counts   counts
}

func newNumbering(ss styles) *numbering {
	return &numbering{map[string]*abstractList{}, map[string]*numberedList{}, ss}
}

func (n *numbering) read(p *xmlPart, _ xml.StartElement) {
	p.children(func(e xml.StartElement) {
		switch id := attr(e, "abstractNumId"); {
		case len(n.abstract)+len(n.lists) >= maxTable:
			p.stop()
		case e.Name.Local == "abstractNum":
			n.abstract[id] = readAbstract(p)
		case e.Name.Local == "num":
			n.lists[attr(e, "numId")] = readList(p)
		}
	})
}

func readAbstract(p *xmlPart) *abstractList {
	list := &abstractList{}
	p.children(func(e xml.StartElement) {
		switch e.Name.Local {
		case "numStyleLink":
			list.link = attr(e, "val")
		case "lvl":
			if level, err := strconv.Atoi(attr(e, "ilvl")); err == nil && level >= 0 && level < maxLevels {
				list.levels[level] = readLevel(p)
			}
		}
	})
	return list
}

func readLevel(p *xmlPart) listLevel {
	level, text := listLevel{format: "decimal", start: 1}, xml.StartElement{}
	p.children(func(e xml.StartElement) {
		switch e.Name.Local {
		case "start":
			if n := number(e); n != nil {
				level.start = *n
			}
		case "numFmt":
			level.format = attr(e, "val")
		case "lvlText":
			text = e
		case "pStyle":
			level.style = attr(e, "val")
		case "isLgl":
			level.legal = isOn(e)
		case "lvlRestart":
			level.counts = attr(e, "val") == "0"
		}
	})
	// Some programs write later paragraphs of an item as items with a blank marker.
	if text.Name.Local != "" && strings.TrimSpace(attr(text, "val")) == "" {
		level.format = "none"
	}
	if level.text = attr(text, "val"); len(level.text) > longestMarker {
		level.text = ""
	}
	return level
}

func readList(p *xmlPart) *numberedList {
	list := &numberedList{starts: map[int]int{}, levels: map[int]listLevel{}}
	p.children(func(e xml.StartElement) {
		switch e.Name.Local {
		case "abstractNumId":
			list.abstract = attr(e, "val")
		case "lvlOverride":
			level, err := strconv.Atoi(attr(e, "ilvl"))
			p.children(func(e xml.StartElement) {
				switch n := number(e); {
				case err != nil || level < 0 || level >= maxLevels:
				case e.Name.Local == "startOverride" && n != nil:
					list.starts[level] = *n
				case e.Name.Local == "lvl":
					list.levels[level] = readLevel(p)
				}
			})
		}
	})
	return list
}

// longestMarker bounds the form of a marker, in bytes.
const longestMarker = 100

// levelOf returns the level of a list to which paragraphs of a style belong; 0 if none is named.
func (n *numbering) levelOf(id, style string) int {
	kind := n.kind(n.lists[id])
	if kind == nil || style == "" {
		return 0
	}
	for i, level := range kind.levels {
		if level.style == style {
			return i
		}
	}
	return 0
}

// marker returns the marker of the next item of a list, and counts the item.
func (n *numbering) marker(id string, level int) string {
	level = min(level, maxLevels-1)
	list := n.lists[id]
	kind := n.kind(list)
	if kind == nil {
		return "- "
	}
	levels := kind.levels
	for i, l := range list.levels {
		levels[i] = l
	}
	switch levels[level].format {
	case "bullet", "":
		return "- "
	case "none":
		return ""
	}
	count := &kind.counts
	if len(list.starts) > 0 {
		count = &list.counts
	}
	count.next(level, &levels)
	return list.written(count, &levels, level) + " "
}

// written returns the marker of an item, which may show the numbers of higher levels (part 1 §17.9.11). Lists that
// share a definition continue the same count.
func (list *numberedList) written(count *counts, levels *[maxLevels]listLevel, level int) string {
	numberAt := func(i int) string {
		start, overridden := list.starts[i]
		if !overridden {
			start = levels[i].start
		}
		format := levels[i].format
		if levels[level].legal {
			format = "decimal"
		}
		return ordinal(start+max(count[i], 1)-1, format)
	}
	form := levels[level].text
	if form == "" {
		return numberAt(level) + "."
	}
	var out strings.Builder
	for i := 0; i < len(form); i++ {
		if form[i] == '%' && i+1 < len(form) && form[i+1] >= '1' && form[i+1] <= '9' {
			i++
			out.WriteString(numberAt(int(form[i] - '1')))
		} else {
			out.WriteByte(form[i])
		}
	}
	return strings.TrimSpace(out.String())
}

// kind returns the definition of a list, or nil.
func (n *numbering) kind(list *numberedList) *abstractList {
	if list == nil {
		return nil
	}
	kind := n.abstract[list.abstract]
	if kind == nil || kind.link == "" {
		return kind
	}
	defined := n.styles[kind.link].list
	if defined == nil || n.lists[*defined] == nil {
		return nil
	}
	return n.abstract[n.lists[*defined].abstract]
}

// ordinal writes a number in one of the formats of lists (part 1 §17.18.59). Formats that it does not know become
// decimal numbers.
func ordinal(n int, format string) string {
	if n > 0 {
		switch format {
		case "lowerLetter":
			return letters(n, "abcdefghijklmnopqrstuvwxyz")
		case "upperLetter":
			return letters(n, "ABCDEFGHIJKLMNOPQRSTUVWXYZ")
		case "russianLower":
			return letters(n, "абвгдежзиклмнопрстуфхцчшщэюя")
		case "russianUpper":
			return letters(n, "АБВГДЕЖЗИКЛМНОПРСТУФХЦЧШЩЭЮЯ")
		case "lowerRoman":
			return strings.ToLower(roman(n))
		case "upperRoman":
			return roman(n)
		case "ideographTraditional":
			return letters(n, "甲乙丙丁戊己庚辛壬癸")
		case "chineseCounting", "chineseCountingThousand", "taiwaneseCounting", "taiwaneseCountingThousand",
			"japaneseCounting", "ideographDigital", "koreanCounting":
			return chinese(n)
		}
	}
	switch format {
	case "decimalZero":
		if n >= 0 && n < 10 {
			return "0" + strconv.Itoa(n)
		}
	case "none":
		return ""
	}
	return strconv.Itoa(n)
}

// letters writes a number as Word does: after z comes aa, after zz comes aaa.
func letters(n int, alphabet string) string {
	all := []rune(alphabet)
	const most = 20
	return strings.Repeat(string(all[(n-1)%len(all)]), min((n-1)/len(all)+1, most))
}

func roman(n int) string {
	const most = 4_000
	if n >= most {
		return strconv.Itoa(n)
	}
	var out strings.Builder
	values := []int{1000, 900, 500, 400, 100, 90, 50, 40, 10, 9, 5, 4, 1}
	for i, name := range []string{"M", "CM", "D", "CD", "C", "XC", "L", "XL", "X", "IX", "V", "IV", "I"} {
		for n >= values[i] {
			out.WriteString(name)
			n -= values[i]
		}
	}
	return out.String()
}

// chinese writes a number below 100 in Chinese characters.
func chinese(n int) string {
	digits := []rune("〇一二三四五六七八九")
	if n >= 100 {
		return strconv.Itoa(n)
	}
	out := ""
	if tens := n / 10; tens > 1 {
		out = string(digits[tens]) + "十"
	} else if tens == 1 {
		out = "十"
	}
	if n%10 > 0 {
		out += string(digits[n%10])
	}
	return out
}
