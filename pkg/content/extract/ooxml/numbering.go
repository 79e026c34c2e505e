package ooxml

import (
	"encoding/xml"
	"strconv"
	"strings"

	"github.com/tidemark/tidemark/pkg/content/extract/zipxml"
)

// maxLevels is the number of levels of a list (part 1 §17.9.6).
const maxLevels = 9

// listLevel is the form of the item markers on one level of a list.
type listLevel struct {
	format string // "bullet", "none", a number format, or "" when undefined
	start  int
}

// abstractList is the definition of a list. Several lists of a document may share one.
type abstractList struct {
	levels [maxLevels]listLevel
	link   string // the style that has the list to use instead
	counts counts
}

// counts are the numbers of items so far, by level.
type counts [maxLevels]int

// next counts an item and restarts the levels below it.
func (c *counts) next(level int) int {
	clear(c[level+1:])
	c[level]++
	return c[level]
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
	starts   map[int]int // first numbers, by level; a list with a first number of its own is numbered independently
	counts   counts
}

func newNumbering(ss styles) *numbering {
	return &numbering{map[string]*abstractList{}, map[string]*numberedList{}, ss}
}

func (n *numbering) read(p *zipxml.Part, _ xml.StartElement) {
	p.Children(func(e xml.StartElement) {
		switch id := zipxml.Attr(e, "abstractNumId"); {
		case len(n.abstract)+len(n.lists) >= maxTable:
			p.Stop()
		case e.Name.Local == "abstractNum":
			n.abstract[id] = readAbstract(p)
		case e.Name.Local == "num":
			n.lists[zipxml.Attr(e, "numId")] = readList(p)
		}
	})
}

func readAbstract(p *zipxml.Part) *abstractList {
	list := &abstractList{}
	p.Children(func(e xml.StartElement) {
		switch e.Name.Local {
		case "numStyleLink":
			list.link = zipxml.Attr(e, "val")
		case "lvl":
			if level, err := strconv.Atoi(zipxml.Attr(e, "ilvl")); err == nil && level >= 0 && level < maxLevels {
				list.levels[level] = readLevel(p)
			}
		}
	})
	return list
}

func readLevel(p *zipxml.Part) listLevel {
	level, text := listLevel{format: "decimal", start: 1}, xml.StartElement{}
	p.Children(func(e xml.StartElement) {
		switch e.Name.Local {
		case "start":
			if n := number(e); n != nil {
				level.start = *n
			}
		case "numFmt":
			level.format = zipxml.Attr(e, "val")
		case "lvlText":
			text = e
		}
	})
	// Some programs write later paragraphs of an item as items with a blank marker.
	if text.Name.Local != "" && strings.TrimSpace(zipxml.Attr(text, "val")) == "" {
		level.format = "none"
	}
	return level
}

func readList(p *zipxml.Part) *numberedList {
	list := &numberedList{starts: map[int]int{}}
	p.Children(func(e xml.StartElement) {
		switch e.Name.Local {
		case "abstractNumId":
			list.abstract = zipxml.Attr(e, "val")
		case "lvlOverride":
			level, err := strconv.Atoi(zipxml.Attr(e, "ilvl"))
			p.Children(func(e xml.StartElement) {
				if n := number(e); e.Name.Local == "startOverride" && n != nil && err == nil && level >= 0 && level < maxLevels {
					list.starts[level] = *n
				}
			})
		}
	})
	return list
}

// marker returns the marker of the next item of a list, and counts the item.
func (n *numbering) marker(id string, level int) string {
	level = min(level, maxLevels-1)
	list := n.lists[id]
	kind := n.kind(list)
	if kind == nil {
		return "- "
	}
	switch kind.levels[level].format {
	case "bullet", "":
		return "- "
	case "none":
		return ""
	}
	return strconv.Itoa(list.number(kind, level)) + ". "
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

// number returns the number of the next item. Lists that share a definition continue the same count.
func (list *numberedList) number(kind *abstractList, level int) int {
	count := &kind.counts
	if len(list.starts) > 0 {
		count = &list.counts
	}
	start, overridden := list.starts[level]
	if !overridden {
		start = kind.levels[level].start
	}
	return start + count.next(level) - 1
}
