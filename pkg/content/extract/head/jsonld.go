package head

import (
	"encoding/json"
	"slices"
	"strings"
)

// Bounds on JSON-LD: the bytes of all scripts of a page, the depth of a value, and the number of objects.
const (
	maxLinkedBytes = 256 << 10
	maxLinkedDepth = 8
	maxLinked      = 500
)

// linkedData is the JSON-LD of a page, reduced to the objects that are about the page (https://schema.org).
type linkedData struct {
	size  int
	nodes []map[string]any // in page order
}

// read reads one script, which may hold several values. It ignores what is not JSON.
func (l *linkedData) read(script string) {
	if l.size += len(script); l.size > maxLinkedBytes {
		return
	}
	d := json.NewDecoder(strings.NewReader(lenient(script)))
	for {
		var value any
		if d.Decode(&value) != nil {
			return
		}
		l.collect(value, 0)
	}
}

// lenient returns JSON in place of a text that is nearly JSON, as consumers of JSON-LD read it: without a byte order
// mark, comments, CDATA markers, and commas and semicolons that end a list or the text. In texts, it escapes what their
// authors did not, and drops escapes that JSON does not know.
func lenient(script string) string {
	script = strings.TrimSpace(strings.TrimPrefix(script, "\ufeff"))
	var out strings.Builder
	for i := 0; i < len(script); {
		switch n := lengthOfComment(script[i:]); {
		case script[i] == '"':
			end := endOfText(script, i)
			writeText(&out, script[i:end])
			i = end
		case n > 0:
			i += n
		case script[i] == ',' || script[i] == ';':
			if rest := afterComments(script[i+1:]); rest != "" && !strings.ContainsAny(rest[:1], "]},;") && script[i] == ',' {
				out.WriteByte(',')
			}
			i++
		default:
			out.WriteByte(script[i])
			i++
		}
	}
	return out.String()
}

// lengthOfComment returns the length of the comment or marker with which a text outside of quotes begins; 0 for none.
func lengthOfComment(s string) int {
	if s == "" || strings.IndexByte("<-]/", s[0]) < 0 {
		return 0 // each comment and marker begins with one of these
	}
	for _, marker := range []string{"<!--", "-->", "<![CDATA[", "]]>", "//<![CDATA[", "//]]>"} {
		if strings.HasPrefix(s, marker) {
			return len(marker)
		}
	}
	for _, comment := range [][2]string{{"//", "\n"}, {"/*", "*/"}} {
		if inner, found := strings.CutPrefix(s, comment[0]); found {
			if end := strings.Index(inner, comment[1]); end >= 0 {
				return len(comment[0]) + end + len(comment[1])
			}
			return len(s)
		}
	}
	return 0
}

// afterComments returns a text without the blanks and comments at its beginning.
func afterComments(s string) string {
	for {
		s = strings.TrimLeft(s, " \t\r\n")
		n := lengthOfComment(s)
		if n == 0 {
			return s
		}
		s = s[n:]
	}
}

// endOfText returns the offset behind the text that begins with a quote.
func endOfText(s string, start int) int {
	for i := start + 1; i < len(s); i++ {
		switch s[i] {
		case '\\':
			i++
		case '"':
			return i + 1
		}
	}
	return len(s)
}

// writeText writes a text in quotes.
func writeText(out *strings.Builder, s string) {
	for i := 0; i < len(s); i++ {
		switch {
		case s[i] < ' ':
			out.WriteByte(' ')
		case s[i] == '\\' && i+1 < len(s):
			if i++; strings.IndexByte(`"\/bfnrtu`, s[i]) >= 0 {
				out.WriteByte('\\')
			}
			out.WriteByte(s[i])
		default:
			out.WriteByte(s[i])
		}
	}
}

// collect keeps the objects that may be about the page. It skips comments, reviews and recommended pages, because it
// does not follow the properties that hold them.
func (l *linkedData) collect(value any, depth int) {
	if depth > maxLinkedDepth || len(l.nodes) >= maxLinked {
		return
	}
	switch v := value.(type) {
	case []any:
		for _, item := range v {
			l.collect(item, depth+1)
		}
	case map[string]any:
		l.nodes = append(l.nodes, v)
		for _, key := range []string{"@graph", "mainEntity", "mainEntityOfPage"} {
			l.collect(v[key], depth+1)
		}
	}
}

// orderOf returns 0 for works, 1 for pages, and -1 for other objects, because works are read first.
func orderOf(node map[string]any) int {
	for _, name := range textsOf(node["@type"], 0) {
		name = name[strings.LastIndexAny(name, "/:")+1:]
		switch {
		case strings.HasSuffix(name, "Article"), strings.HasSuffix(name, "Posting"), name == "Report", name == "Question",
			name == "Recipe", name == "Review", name == "VideoObject", name == "HowTo", name == "PodcastEpisode",
			name == "CreativeWork", name == "Book", name == "Dataset", name == "Course", name == "SoftwareSourceCode":
			return 0
		case strings.HasSuffix(name, "Page"):
			return 1
		}
	}
	return -1
}

// addTo adds the statements of the objects to f.
func (l *linkedData) addTo(f *pageFacts) {
	for order := range 2 {
		for _, node := range l.nodes {
			if orderOf(node) != order {
				continue
			}
			for _, key := range []string{"datePublished", "dateCreated", "uploadDate"} {
				addTexts(&f.published, node[key])
			}
			addTexts(&f.modified, node["dateModified"])
			if len(f.author[fromJSON]) == 0 {
				for _, name := range l.names(node["author"], 0) {
					f.author.add(fromJSON, name)
				}
			}
			for _, name := range l.names(node["publisher"], 0) {
				f.site.add(fromClass, name)
			}
		}
	}
	for _, node := range l.nodes {
		if slices.Contains(textsOf(node["@type"], 0), "WebSite") {
			for _, name := range textsOf(node["name"], 0) {
				f.site.add(fromProp, name)
			}
		}
	}
}

func addTexts(s *statements, value any) {
	for _, text := range textsOf(value, 0) {
		s.add(fromJSON, text)
	}
}

// textsOf returns the texts in a value, which may be a list.
func textsOf(value any, depth int) (texts []string) {
	switch v := value.(type) {
	case string:
		return []string{v}
	case []any:
		for _, item := range v[:min(len(v), maxAuthors)] {
			if depth < 2 {
				texts = append(texts, textsOf(item, depth+1)...)
			}
		}
	}
	return texts
}

// names returns the names in a value. The value may be a text, a person, the id of a person, or a list of these.
func (l *linkedData) names(value any, depth int) (names []string) {
	switch v := value.(type) {
	case string:
		return []string{v}
	case []any:
		for _, item := range v[:min(len(v), maxAuthors)] {
			if depth < 3 {
				names = append(names, l.names(item, depth+1)...)
			}
		}
	case map[string]any:
		if names = textsOf(v["name"], 0); len(names) == 0 {
			if id, ok := v["@id"].(string); ok {
				return l.named(id)
			}
		}
	}
	return names
}

// named returns the name of the object with an id.
func (l *linkedData) named(id string) []string {
	for _, node := range l.nodes {
		if node["@id"] == id {
			return textsOf(node["name"], 0)
		}
	}
	return nil
}
