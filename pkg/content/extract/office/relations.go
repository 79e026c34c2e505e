package office

import (
	"encoding/xml"
	"path"
	"strings"

	"github.com/tidemark/tidemark/pkg/content/extract/dom"
)

// relation is a relationship of a part.
type relation struct {
	kind   string // the last segment of the type, which is the same in Strict and Transitional
	target string // name of a part, or an external address
}

// relations are the relationships of one part, by id and in order.
type relations struct {
	byID  map[string]relation
	order []string
}

// relations reads the relationships of a part, or of the package itself if source is "". A part may have none. When a
// bound is exceeded, the error is in a.Err.
func (a *archive) relations(source string) relations {
	rs := relations{byID: map[string]relation{}}
	dir, file := path.Split(source)
	_ = a.Optional(dir+"_rels/"+file+".rels", func(p *xmlPart, _ xml.StartElement) {
		p.children(func(e xml.StartElement) {
			if e.Name.Local == "Relationship" && len(rs.order) < maxTable {
				rs.add(dir, e)
			}
		})
	})
	return rs
}

func (rs *relations) add(dir string, e xml.StartElement) {
	r := relation{kind: path.Base(attr(e, "Type")), target: attr(e, "Target")}
	if !strings.EqualFold(attr(e, "TargetMode"), "External") {
		r.target = resolve(dir, r.target)
	}
	id := attr(e, "Id")
	if _, known := rs.byID[id]; !known {
		rs.byID[id] = r
		rs.order = append(rs.order, id)
	}
}

// resolve turns a target into the name of a part. A target cannot lead out of the package, because the name is only
// looked up among the parts.
func resolve(dir, target string) string {
	target = strings.ReplaceAll(target, `\`, "/")
	if !strings.HasPrefix(target, "/") {
		target = dir + target
	}
	return strings.TrimPrefix(path.Clean("/"+target), "/")
}

// part returns the first part with a relationship of that kind, or "".
func (rs relations) part(kind string) string {
	for _, id := range rs.order {
		if r := rs.byID[id]; r.kind == kind {
			return r.target
		}
	}
	return ""
}

// address returns the target of a relationship, for use as the address of a link. If the target is the name of a
// part, the composer ignores the link, because the target is not a web address.
func (rs relations) address(id string) string { return rs.byID[id].target }

// diagram returns the name of the part with the text of a diagram (SmartArt), to which the element e refers.
func (rs relations) diagram(e xml.StartElement) string { return rs.byID[attr(e, "dm")].target }

// relationID returns the id of the relationship to which an element refers. It is the attribute named id that has a
// prefix. A slide also has an id without a prefix, which does not refer to a relationship.
func relationID(e xml.StartElement) string {
	for i := range e.Attr {
		if n := e.Attr[i].Name; n.Local == "id" && n.Space != "" {
			return e.Attr[i].Value
		}
	}
	return ""
}

// properties are the properties that a file declares (part 2 §8.3).
type properties struct{ title, language string }

func (ps *properties) read(p *xmlPart, _ xml.StartElement) {
	p.children(func(e xml.StartElement) {
		switch e.Name.Local {
		case "title":
			p.short(&ps.title)
		case "language":
			p.short(&ps.language)
		}
	})
}

// usefulTitle returns the title of the file. It returns "" for the title that PowerPoint gives to every new file, in
// the language of the program: "PowerPoint Presentation", "Présentation PowerPoint".
func (ps *properties) usefulTitle() string {
	title := strings.ToValidUTF8(dom.Fold(ps.title), "")
	if strings.Contains(title, "PowerPoint") && len(strings.Fields(title)) <= 3 {
		return ""
	}
	return title
}
