package office_test

import (
	"archive/zip"
	"bytes"
	"fmt"
	"maps"
	"slices"
	"strings"

	"pgregory.net/rapid"
)

const namespaces = `xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main" ` +
	`xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships" ` +
	`xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main" ` +
	`xmlns:p="http://schemas.openxmlformats.org/presentationml/2006/main" ` +
	`xmlns:m="http://schemas.openxmlformats.org/officeDocument/2006/math" ` +
	`xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006" ` +
	`xmlns:wps="http://schemas.microsoft.com/office/word/2010/wordprocessingShape" ` +
	`xmlns:v="urn:schemas-microsoft-com:vml"`

const relationTypes = "http://schemas.openxmlformats.org/officeDocument/2006/relationships/"

// rel returns one relationship. A target with a scheme is external.
func rel(id, kind, target string) string {
	mode := ""
	if strings.Contains(target, ":") {
		mode = ` TargetMode="External"`
	}
	return fmt.Sprintf(`<Relationship Id="%s" Type="%s%s" Target="%s"%s/>`, id, relationTypes, kind, target, mode)
}

func rels(all ...string) string {
	return `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">` + strings.Join(all, "") +
		`</Relationships>`
}

// pack makes a ZIP file of parts, in the order of their names. It does not compress them, because compressing takes
// longer than reading. The documents of testdata are compressed.
func pack(t rapid.TB, parts map[string]string) []byte {
	t.Helper()
	var out bytes.Buffer
	z := zip.NewWriter(&out)
	for _, name := range slices.Sorted(maps.Keys(parts)) {
		w, err := z.CreateHeader(&zip.FileHeader{Name: name, Method: zip.Store})
		if err == nil {
			_, err = w.Write([]byte(parts[name]))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// word makes the parts of a Word document with that body; more replaces or adds parts. The names are not those of
// Word, because a reader must follow the relationships.
func word(body string, more map[string]string) map[string]string {
	parts := map[string]string{
		"_rels/.rels": rels(rel("a", "officeDocument", "/Text/main.xml")),
		"text/_rels/main.xml.rels": rels(
			rel("s", "styles", "s.xml"), rel("n", "numbering", "n.xml"), rel("f", "footnotes", `sub\f.xml`),
			rel("e", "endnotes", "../e.xml"),
			rel("web", "hyperlink", "https://port.example/a?b=1&amp;c=2#frag"),
			rel("mail", "hyperlink", "mailto:a@port.example"), rel("file", "hyperlink", "file:///c:/x.docx")),
		"text/main.xml":  `<w:document ` + namespaces + `><w:body>` + body + `<w:sectPr/></w:body></w:document>`,
		"text/s.xml":     `<w:styles ` + namespaces + `>` + someStyles + `</w:styles>`,
		"text/n.xml":     `<w:numbering ` + namespaces + `>` + someLists + `</w:numbering>`,
		"text/sub/f.xml": `<w:footnotes ` + namespaces + `>` + someNotes("footnote") + `</w:footnotes>`,
		"e.xml":          `<w:endnotes ` + namespaces + `>` + someNotes("endnote") + `</w:endnotes>`,
	}
	maps.Copy(parts, more)
	return parts
}

// someStyles are styles as a German Word writes them: ids translated, names not.
const someStyles = `
<w:docDefaults><w:rPrDefault><w:rPr><w:lang w:val="de-DE" w:eastAsia="ja-JP" w:bidi="ar-SA"/></w:rPr></w:rPrDefault>
</w:docDefaults>
<w:style w:type="paragraph" w:default="1" w:styleId="Standard"><w:name w:val="Normal"/></w:style>
<w:style w:type="paragraph" w:styleId="berschrift2"><w:name w:val="heading 2"/><w:basedOn w:val="Standard"/>
<w:pPr><w:outlineLvl w:val="1"/></w:pPr></w:style>
<w:style w:type="paragraph" w:styleId="Kapitel"><w:name w:val="Kapitel"/><w:basedOn w:val="berschrift2"/></w:style>
<w:style w:type="paragraph" w:styleId="Frage"><w:name w:val="Frage"/><w:pPr><w:outlineLvl w:val="7"/></w:pPr></w:style>
<w:style w:type="paragraph" w:styleId="Titel"><w:name w:val="Title"/></w:style>
<w:style w:type="paragraph" w:styleId="Verzeichnis1"><w:name w:val="toc 1"/></w:style>
<w:style w:type="paragraph" w:styleId="Zitat"><w:name w:val="Quote"/></w:style>
<w:style w:type="paragraph" w:styleId="Quelltext"><w:name w:val="HTML Preformatted"/></w:style>
<w:style w:type="paragraph" w:styleId="Liste"><w:name w:val="List Bullet"/>
<w:pPr><w:numPr><w:numId w:val="1"/></w:numPr></w:pPr></w:style>
<w:style w:type="paragraph" w:styleId="Liste2"><w:name w:val="List Bullet 2"/>
<w:pPr><w:numPr><w:numId w:val="1"/></w:numPr></w:pPr></w:style>
<w:style w:type="numbering" w:styleId="Stufen"><w:name w:val="Stufen"/>
<w:pPr><w:numPr><w:numId w:val="2"/></w:numPr></w:pPr></w:style>
<w:style w:type="paragraph" w:styleId="Kreis1"><w:name w:val="k1"/><w:basedOn w:val="Kreis2"/></w:style>
<w:style w:type="paragraph" w:styleId="Kreis2"><w:name w:val="k2"/><w:basedOn w:val="Kreis1"/></w:style>`

// someLists are lists with bullets (1), numbers (2, 3), numbers from 5 (4), numbers through a style (5), and no
// markers (6).
const someLists = `
<w:abstractNum w:abstractNumId="0"><w:lvl w:ilvl="0"><w:numFmt w:val="bullet"/><w:lvlText w:val="•"/></w:lvl>
<w:lvl w:ilvl="1"><w:numFmt w:val="bullet"/></w:lvl></w:abstractNum>
<w:abstractNum w:abstractNumId="1">
<w:lvl w:ilvl="0"><w:start w:val="1"/><w:numFmt w:val="decimal"/><w:lvlText w:val="%1."/></w:lvl>
<w:lvl w:ilvl="1"><w:start w:val="1"/><w:numFmt w:val="lowerLetter"/><w:lvlText w:val="%2)"/></w:lvl></w:abstractNum>
<w:abstractNum w:abstractNumId="2"><w:numStyleLink w:val="Stufen"/></w:abstractNum>
<w:abstractNum w:abstractNumId="3"><w:lvl w:ilvl="0"><w:numFmt w:val="none"/></w:lvl></w:abstractNum>
<w:num w:numId="1"><w:abstractNumId w:val="0"/></w:num>
<w:num w:numId="2"><w:abstractNumId w:val="1"/></w:num>
<w:num w:numId="3"><w:abstractNumId w:val="1"/></w:num>
<w:num w:numId="4"><w:abstractNumId w:val="1"/>
<w:lvlOverride w:ilvl="0"><w:startOverride w:val="5"/></w:lvlOverride></w:num>
<w:num w:numId="5"><w:abstractNumId w:val="2"/></w:num>
<w:num w:numId="6"><w:abstractNumId w:val="3"/></w:num>`

func someNotes(kind string) string {
	return strings.NewReplacer("NOTE", kind).Replace(`
<w:NOTE w:type="separator" w:id="-1"><w:p><w:r><w:t>line</w:t></w:r></w:p></w:NOTE>
<w:NOTE w:id="1"><w:p><w:r><w:NOTERef/></w:r><w:r><w:t>A NOTE.</w:t></w:r></w:p>
<w:p><w:r><w:t>Its second half.</w:t></w:r></w:p></w:NOTE>
<w:NOTE w:id="2"><w:p><w:r><w:t>Left behind.</w:t></w:r></w:p></w:NOTE>`)
}

// para returns a paragraph with a style.
func para(style, text string) string {
	return `<w:p><w:pPr><w:pStyle w:val="` + style + `"/></w:pPr><w:r><w:t xml:space="preserve">` + text +
		`</w:t></w:r></w:p>`
}

// listed returns a list item.
func listed(list, level int, text string) string {
	return fmt.Sprintf(`<w:p><w:pPr><w:numPr><w:ilvl w:val="%d"/><w:numId w:val="%d"/></w:numPr></w:pPr><w:r>`+
		`<w:t>%s</w:t></w:r></w:p>`, level, list, text)
}

// tr returns a table row with one paragraph per cell.
func tr(cells ...string) string {
	row := "<w:tr>"
	for _, c := range cells {
		row += "<w:tc><w:tcPr/>" + c + "</w:tc>"
	}
	return row + "</w:tr>"
}

// deck makes the parts of a presentation from the shape trees of its slides and notes, in order.
func deck(slides, notes []string, more map[string]string) map[string]string {
	parts := map[string]string{"_rels/.rels": rels(rel("a", "officeDocument", "ppt/presentation.xml"))}
	var ids, presentation []string
	for i, tree := range slides {
		name := fmt.Sprintf("slide%d.xml", len(slides)-i) // the order of the show differs from that of the names
		ids = append(ids, fmt.Sprintf(`<p:sldId id="%d" r:id="r%d"/>`, 256+i, i))
		presentation = append(presentation, rel(fmt.Sprint("r", i), "slide", "slides/"+name))
		parts["ppt/slides/"+name] = `<p:sld ` + namespaces + `><p:cSld><p:spTree>` + tree + `</p:spTree></p:cSld></p:sld>`
		links := []string{rel("web", "hyperlink", "https://port.example/pay#now"),
			rel("dm", "diagramData", "../diagrams/data1.xml")}
		if i < len(notes) {
			links = append(links, rel("n", "notesSlide", "../notes/"+name))
			parts["ppt/notes/"+name] = `<p:notes ` + namespaces + `><p:cSld><p:spTree>` + notes[i] +
				`</p:spTree></p:cSld></p:notes>`
		}
		parts["ppt/slides/_rels/"+name+".rels"] = rels(links...)
	}
	parts["ppt/_rels/presentation.xml.rels"] = rels(presentation...)
	parts["ppt/presentation.xml"] = `<p:presentation ` + namespaces + `><p:sldIdLst>` + strings.Join(ids, "") +
		`</p:sldIdLst></p:presentation>`
	maps.Copy(parts, more)
	return parts
}

// box returns a shape. It is a placeholder unless kind is "-".
func box(kind string, paragraphs ...string) string {
	ph := `<p:ph type="` + kind + `"/>`
	if kind == "-" {
		ph = ""
	}
	return `<p:sp><p:nvSpPr><p:cNvPr id="2" name="Box" descr="alt text"/><p:nvPr>` + ph +
		`</p:nvPr></p:nvSpPr><p:txBody><a:bodyPr/><a:lstStyle/>` +
		strings.Join(paragraphs, "") + `</p:txBody></p:sp>`
}

// ap returns a paragraph of a shape with the given attributes and elements of its a:pPr.
func ap(text, attrs, properties string) string {
	return `<a:p><a:pPr ` + attrs + `>` + properties + `</a:pPr><a:r><a:rPr lang="en-GB"/><a:t>` + text +
		`</a:t></a:r><a:endParaRPr/></a:p>`
}
