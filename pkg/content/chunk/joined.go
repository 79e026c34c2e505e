package chunk

import (
	"slices"
	"strings"

	"github.com/tidemark/tidemark/pkg/base/words"
	"github.com/tidemark/tidemark/pkg/content/extract"
)

const (
	// unitBudget is the largest size of a unit of several chunks, in tokens.
	unitBudget = 450
	// small is the size, in tokens, below which a chunk is joined with a neighbour of the same section.
	small = 60
)

// partNames are headings that name a part of the thing that the heading above names.
var partNames = words.Set(`types | note | notes | example | examples | see also | parameters | returns | return value |
syntax | arguments | errors | description | usage | warning | tip | attention |
hinweis | hinweise | beispiel | beispiele | siehe auch | parameter | rückgabewert | rückgabe | warnung | tipp |
exemple | exemples | remarque | remarques | voir aussi | paramètres | syntaxe | valeur renvoyée |
ejemplo | ejemplos | nota | véase también | parámetros | sintaxis | valor de retorno |
esempio | parametri | sintassi | vedi anche | exemplo | parâmetros | sintaxe | veja também |
voorbeeld | zie ook | przykład | пример | примеры | 例 | 示例 | 参数 | 返回值 | 예제`)

// outlined says of the headings of a page which of them name parts.
type outlined map[string]map[string]bool // heading → headings that it stands below

func outlineOf(chunks []Chunk) outlined {
	o := outlined{}
	for _, c := range chunks {
		path := HeadingPath(c.Heading)
		for i := 1; i < len(path); i++ {
			if o[path[i]] == nil {
				o[path[i]] = map[string]bool{}
			}
			o[path[i]][path[i-1]] = true
		}
	}
	return o
}

// section returns the path of the thing that a chunk is about: without headings of parts, which have a usual name or
// stand below several headings of the page.
func (o outlined) section(c *Chunk) []string {
	path := HeadingPath(c.Heading)
	if c.Kind == Heading {
		return append(path, c.Name)
	}
	for n := len(path); n > 1; n-- {
		if name := path[n-1]; len(o[name]) < 2 && !partNames[strings.ToLower(strings.Trim(name, " :"))] {
			break
		}
		path = path[:n-1]
	}
	return path
}

// joined is the unit that is being collected, by its last chunk.
type joined struct {
	zone   extract.Zone
	path   []string // that of the innermost section of the unit
	tokens int
	leads  bool // the last chunk introduces what follows
}

// join decides which chunks are one unit with the chunk before them. What introduces something stays with it. A chunk
// that is small stays with what follows in its section, and if it is the last of it or a part of a thing, with what is
// before it. A unit never holds two sections that follow each other.
func join(chunks []Chunk) {
	var u joined
	o := outlineOf(chunks)
	sections := make([][]string, len(chunks))
	for i := range chunks {
		sections[i] = o.section(&chunks[i])
	}
	for i := range chunks {
		c, path := &chunks[i], sections[i]
		size := c.Tokens + Tokens(c.Lead)
		ends := i+1 == len(chunks) || !slices.Equal(sections[i+1], path) || len(HeadingPath(c.Heading)) > len(path)
		c.Joined = i > 0 && u.includes(c, path, size, ends)
		if !c.Joined {
			u = joined{zone: c.Zone}
		}
		u.path, u.tokens, u.leads = path, u.tokens+size, introduces(c.Text)
	}
}

// includes reports whether the next chunk belongs to the unit. Ends is set if the chunk is the last of its section, or
// a part of the thing that the section is about.
func (u *joined) includes(c *Chunk, path []string, size int, ends bool) bool {
	if c.Zone != u.zone || u.tokens+size > unitBudget || len(path) < len(u.path) ||
		!slices.Equal(path[:len(u.path)], u.path) {
		return false
	}
	if u.leads || len(path) > len(u.path) {
		return u.leads
	}
	return u.tokens < small || ends && size < small || strings.HasPrefix(c.Text, ": ")
}

// introduces reports whether a text announces what follows it.
func introduces(text string) bool {
	text = strings.TrimSpace(text)
	return strings.HasSuffix(text, ":") || strings.HasSuffix(text, "：")
}
