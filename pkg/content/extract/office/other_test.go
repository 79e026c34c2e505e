package office_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/tidemark/tidemark/pkg/content/extract"
	"github.com/tidemark/tidemark/pkg/content/extract/office"
)

// clauses are the lists of a contract: "1." headings, "1.1" clauses and "(a)" items, as one list of three levels.
const clauses = `<w:numbering ` + namespaces + `><w:abstractNum w:abstractNumId="0">
<w:lvl w:ilvl="0"><w:start w:val="1"/><w:pStyle w:val="Kapitel"/><w:numFmt w:val="decimal"/>
<w:lvlText w:val="%1."/></w:lvl>
<w:lvl w:ilvl="1"><w:start w:val="1"/><w:numFmt w:val="decimal"/><w:lvlText w:val="%1.%2"/></w:lvl>
<w:lvl w:ilvl="2"><w:start w:val="1"/><w:numFmt w:val="lowerLetter"/><w:lvlText w:val="(%3)"/></w:lvl>
<w:lvl w:ilvl="3"><w:start w:val="1"/><w:numFmt w:val="upperRoman"/><w:isLgl/><w:lvlText w:val="Art. %4/%1"/></w:lvl>
</w:abstractNum><w:num w:numId="1"><w:abstractNumId w:val="0"/></w:num>
<w:num w:numId="2"><w:abstractNumId w:val="0"/><w:lvlOverride w:ilvl="0"><w:lvl w:ilvl="0"><w:start w:val="3"/>
<w:numFmt w:val="upperRoman"/><w:lvlText w:val="§ %1"/></w:lvl><w:startOverride w:val="3"/></w:lvlOverride>
</w:num></w:numbering>`

// A17: TestA17ClauseNumbers checks the numbers of the clauses of a contract, at every level, and of headings.
func TestA17ClauseNumbers(t *testing.T) {
	styles := map[string]string{"text/n.xml": clauses, "text/s.xml": `<w:styles ` + namespaces + `>
<w:style w:type="paragraph" w:styleId="Kapitel"><w:name w:val="heading 1"/><w:pPr><w:numPr>
<w:numId w:val="1"/></w:numPr>
</w:pPr></w:style></w:styles>`}
	body := para("Kapitel", "Scope") + listed(1, 1, "a") + listed(1, 1, "b") + listed(1, 2, "c") + listed(1, 2, "d") +
		para("Kapitel", "Liability") + listed(1, 1, "e") + listed(1, 3, "f") + listed(2, 0, "g")
	want := "heading1: 1. Scope\nlist:   1.1 a⏎  1.2 b⏎    (a) c⏎    (b) d\nheading1: 2. Liability\n" +
		"list:   2.1 e⏎      Art. 1/2 f\nlist: § III g"
	doc, err := office.DOCX(pack(t, word(body, styles)), extract.Limits{})
	if diff := cmp.Diff(want, show(doc.Blocks)); err != nil || diff != "" {
		t.Error(err, diff)
	}
	table := `<w:tbl><w:tblGrid><w:gridCol/><w:gridCol/></w:tblGrid>` + tr(listed(1, 0, "a"), para("", "x")) +
		tr(listed(1, 0, "b"), para("", "y")) + `</w:tbl>`
	doc, err = office.DOCX(pack(t, word(table, styles)), extract.Limits{})
	if diff := cmp.Diff("table: 1. a | x⏎2. b | y", show(doc.Blocks)); err != nil || diff != "" {
		t.Error(err, diff)
	}
}

// A17: TestA17OtherParts checks the text that a document has in parts of its own.
func TestA17OtherParts(t *testing.T) {
	chart := `<c:chartSpace xmlns:c="c" ` + namespaces + `><c:chart><c:title><c:tx><c:rich><a:p><a:r>` +
		`<a:t>Ships</a:t></a:r></a:p>` +
		`</c:rich></c:tx></c:title><c:plotArea><c:barChart><c:ser><c:tx><c:strRef><c:f>x</c:f><c:strCache><c:pt>` +
		`<c:v>North</c:v>` +
		`</c:pt></c:strCache></c:strRef></c:tx><c:cat><c:strRef><c:strCache><c:pt><c:v>May</c:v></c:pt><c:pt>` +
		`<c:v>June</c:v>` +
		`</c:pt></c:strCache></c:strRef></c:cat><c:val><c:numRef><c:numCache><c:pt><c:v>12</c:v></c:pt><c:pt>` +
		`<c:v>15</c:v></c:pt>` +
		`</c:numCache></c:numRef></c:val></c:ser></c:barChart></c:plotArea></c:chart></c:chartSpace>`
	diagram := `<dgm:dataModel xmlns:dgm="d" ` + namespaces + `><dgm:ptLst><dgm:pt><dgm:t><a:p><a:r>` +
		`<a:t>President</a:t></a:r>` +
		`</a:p></dgm:t></dgm:pt></dgm:ptLst></dgm:dataModel>`
	part := func(kind, target string) string {
		return rels(rel("x", kind, target), rel("s", "styles", "s.xml"))
	}
	frame := `<w:p><w:r><w:drawing><c:chart r:id="x"/></w:drawing></w:r></w:p>`
	for name, tt := range map[string]struct{ kind, content, body, want string }{
		"a web page": {"aFChunk", "<html><body><nav>x</nav><h1>A</h1><p>b</p></body></html>", `<w:altChunk r:id="x"/>`,
			"paragraph: x\nheading1: A\nparagraph: b\nparagraph: z"},
		"a mail with a web page": {"aFChunk", "MIME-Version: 1.0\r\nContent-Type: text/html\r\n\r\n<p>b</p>",
			`<w:altChunk r:id="x"/>`, "paragraph: b\nparagraph: z"},
		"rich text":  {"aFChunk", `{\rtf1 b\par}`, `<w:altChunk r:id="x"/>`, "paragraph: b\nparagraph: z"},
		"plain text": {"aFChunk", `b`, `<w:altChunk r:id="x"/>`, "paragraph: b\nparagraph: z"},
		"what is not read": {"aFChunk", "\x00\x01\x02\x03", `<w:altChunk r:id="x"/>`,
			"paragraph: [A part of this document is not read: Text/part]\nparagraph: z"},
		"a chart": {"chart", chart, frame, "paragraph: Ships\ntable:  | North⏎May | 12⏎June | 15\nparagraph: z"},
		"a diagram": {"diagramData", diagram, strings.Replace(frame, `c:chart r:id`, `dgm:relIds r:dm`, 1),
			"paragraph: President\nparagraph: z"},
		"a header, beside": {"header",
			`<w:hdr ` + namespaces + `>` + para("", "Version 3") + para("", "7") + `</w:hdr>`, "",
			"paragraph: z\nparagraph: Version 3"},
		"comments, beside them": {"comments",
			`<w:comments ` + namespaces + `><w:comment w:author="Ann">` + para("", "why?") + `</w:comment></w:comments>`, "",
			"paragraph: z\nparagraph: Comment, Ann:\nparagraph: why?"},
	} {
		doc, err := office.DOCX(pack(t, word(tt.body+para("", "z"), map[string]string{
			"text/_rels/main.xml.rels": part(tt.kind, "part"), "text/part": tt.content})), extract.Limits{})
		if diff := cmp.Diff(tt.want, show(doc.Blocks)); err != nil || diff != "" {
			t.Errorf("%s: %v %s", name, err, diff)
		}
		if last := doc.Blocks[len(doc.Blocks)-1]; (last.Zone == extract.Beside) != strings.Contains(name, "beside") {
			t.Errorf("%s: zone %q", name, last.Zone)
		}
	}
}

// A17: TestA17Equations checks that formulas keep their meaning on a line.
func TestA17Equations(t *testing.T) {
	term := func(s string) string { return `<m:r><m:t>` + s + `</m:t></m:r>` }
	of := func(name string, parts ...string) string {
		return `<m:` + name + `>` + strings.Join(parts, "") + `</m:` + name + `>`
	}
	fraction := func(a, b string) string { return of("f", of("num", a), of("den", b)) }
	for want, body := range map[string]string{
		"(n choose k)": of("oMath", of("d", of("e", of("f",
			`<m:fPr><m:type m:val="noBar"/></m:fPr>`, of("num", term("n")), of("den", term("k")))))),
		"((x-c)/v)^2": of("oMath", of("sSup", of("e", fraction(term("x-c"), term("v"))), of("sup", term("2")))),
		"a_i/b_i": of("oMath", fraction(of("sSub", of("e", term("a")), of("sub", term("i"))),
			of("sSub", of("e", term("b")), of("sub", term("i"))))),
		"a=b⏎c=d⏎e=f": of("oMathPara", of("oMath", term("a=b")), of("oMath", term("c=d")), of("oMath", term("e=f"))),
		"x^(n+1)":     of("oMath", of("sSup", of("e", term("x")), of("sup", term("n+1")))),
		"√(a+b)":      of("oMath", of("rad", of("e", term("a+b")))),
	} {
		doc, err := office.DOCX(pack(t, word(`<w:p>`+body+`</w:p>`, nil)), extract.Limits{})
		if diff := cmp.Diff("paragraph: "+want, show(doc.Blocks)); err != nil || diff != "" {
			t.Errorf("%v %s", err, diff)
		}
	}
}
