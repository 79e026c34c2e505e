package head

import (
	"slices"
	"strings"

	"github.com/tidemark/tidemark/pkg/content/extract/jsonld"
)

// linkedData is the JSON-LD of a page, reduced to the objects that are about the page (https://schema.org).
type linkedData []jsonld.Object

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
func (l linkedData) addTo(f *pageFacts) {
	for order := range 2 {
		for _, node := range l {
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
	for _, node := range l {
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
func (l linkedData) names(value any, depth int) (names []string) {
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
func (l linkedData) named(id string) []string {
	for _, node := range l {
		if node["@id"] == id {
			return textsOf(node["name"], 0)
		}
	}
	return nil
}
