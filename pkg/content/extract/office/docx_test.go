package office_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/tidemark/tidemark/pkg/content/extract"
	"github.com/tidemark/tidemark/pkg/content/extract/office"
)

// show writes blocks in a readable form: kind, level and text, one block per line.
func show(blocks []extract.Block) string {
	var out []string
	for _, b := range blocks {
		level := ""
		if b.Level > 0 {
			level = string(rune('0' + b.Level))
		}
		out = append(out, string(b.Kind)+level+": "+strings.ReplaceAll(b.Text, "\n", "⏎"))
	}
	return strings.Join(out, "\n")
}

func run(inner string) string { return `<w:p>` + inner + `</w:p>` }

// script returns a text, and another one above or below the line.
func script(text, position, above string) string {
	return `<w:r><w:t xml:space="preserve">` + text + `</w:t></w:r><w:r><w:rPr><w:vertAlign w:val="` + position +
		`"/></w:rPr><w:t>` + above + `</w:t></w:r>`
}

// wordBlocks are bodies of documents, and the blocks that they become.
var wordBlocks = []struct{ name, body, want string }{
	{"runs join without space, soft hyphens go, tabs are space",
		run(`<w:r><w:t xml:space="preserve">Hafen</w:t></w:r><w:r><w:t xml:space="preserve">meister  </w:t><w:tab/>` +
			`<w:t>fischt</w:t><w:softHyphen/><w:t>e ab` + "\u00ad" + `er</w:t></w:r>`),
		"paragraph: Hafenmeister fischte aber"},
	{"breaks, hyphens, symbols",
		run(`<w:r><w:t>one</w:t><w:br/><w:br w:type="page"/><w:t>two</w:t><w:noBreakHyphen/><w:t>three</w:t><w:sym ` +
			`w:font="Wingdings" w:char="F0E0"/><w:sym w:char="03A9"/></w:r>`),
		"paragraph: one⏎two-threeΩ"},
	{"struck text, over runs and with blanks around it", run(`<w:r><w:t>You may </w:t></w:r>` +
		`<w:r><w:rPr><w:strike/></w:rPr><w:t xml:space="preserve"> no</w:t></w:r><w:r><w:rPr><w:dstrike w:val="1"/>` +
		`</w:rPr><w:t xml:space="preserve">t </w:t></w:r><w:r><w:rPr><w:strike w:val="0"/></w:rPr><w:t>moor</w:t></w:r>` +
		`<w:r><w:rPr><w:strike/></w:rPr><w:t xml:space="preserve"> here </w:t></w:r>`),
		"paragraph: You may ~~not~~ moor ~~here~~"},
	{"nothing struck", run(`<w:r><w:rPr><w:strike/></w:rPr><w:t xml:space="preserve"> </w:t></w:r><w:r><w:t>a</w:t></w:r>`),
		"paragraph: a"},
	{"exponents, indices and units", run(script("10", "superscript", "6") + script(" x", "subscript", "i") +
		script(" 120 m", "superscript", "2") + script(" H", "subscript", "2") + script("O the 1", "superscript", "st") +
		script(" 10", "baseline", "6")),
		"paragraph: 10^6 x_i 120 m² H2O the 1st 106"},
	{"headings by translated id, by inheritance, by outline level, by hand",
		para("berschrift2", "a") + para("Kapitel", "b") + para("Frage", "c") +
			run(`<w:pPr><w:outlineLvl w:val="0"/></w:pPr><w:r><w:t>d</w:t></w:r>`) + para("Titel", "e"),
		"heading2: a\nheading2: b\nheading6: c\nheading1: d\nheading1: e"},
	{"a heading whose style is not defined", para("Heading3", "a"), "heading3: a"},
	{"a heading on two lines is one", run(`<w:pPr><w:outlineLvl w:val="0"/></w:pPr><w:r><w:t>a</w:t><w:br/>` +
		`<w:t>b</w:t></w:r>`), "heading1: a b"},
	{"styles in a circle", para("Kreis1", "a"), "paragraph: a"},
	{"a heading that is body text after all is still named one",
		run(`<w:pPr><w:pStyle w:val="berschrift2"/><w:outlineLvl w:val="9"/></w:pPr><w:r><w:t>a</w:t></w:r>`),
		"heading2: a"},
	{"quotes stand alone, code lines together",
		para("Zitat", "a") + para("Zitat", "b") + para("Quelltext", "if x {") + para("Quelltext", "") +
			para("Quelltext", "  y ") + para("", "z"),
		"quote: a\nquote: b\ncode: if x {⏎⏎  y\nparagraph: z"},
	{"contents repeat the headings", para("Verzeichnis1", "Tides\t3") + para("berschrift2", "Tides"), "heading2: Tides"},
	{"nested lists", listed(1, 0, "a") + listed(1, 1, "b") + listed(2, 2, "c") + listed(1, 0, "d"),
		"list: - a⏎  - b⏎    - c⏎- d"},
	{"numbers, letters too, begin anew below", listed(2, 0, "a") + listed(2, 1, "b") + listed(2, 1, "c") +
		listed(2, 0, "d") + listed(2, 1, "e"),
		"list: 1. a⏎  a) b⏎  b) c⏎2. d⏎  a) e"},
	{"lists of one kind count on, others do not", listed(2, 0, "a") + para("", "x") + listed(3, 0, "b") +
		listed(4, 0, "c") + listed(5, 0, "d"),
		"list: 1. a\nparagraph: x\nlist: 2. b\nlist: 5. c\nlist: 3. d"},
	{"list by style, its second level, and none after all",
		para("Liste", "a") + para("Liste2", "b") + run(`<w:pPr><w:pStyle w:val="Liste"/><w:numPr><w:numId w:val="0"/>`+
			`</w:numPr></w:pPr><w:r><w:t>c</w:t></w:r>`),
		"list: - a⏎  - b\nparagraph: c"},
	{"an item without mark goes on", listed(1, 0, "a") + listed(6, 0, "b") + listed(1, 0, "c") + para("", "d") +
		listed(6, 0, "e"),
		"list: - a⏎  b⏎- c\nparagraph: d\nparagraph: e"},
	{"an unknown list", listed(77, 12, "a"), "list:                 - a"},
	{"tables", `<w:tbl><w:tblPr/><w:tblGrid><w:gridCol/><w:gridCol/></w:tblGrid>` +
		tr(para("", "a"), para("", "b")+para("", "c")) + tr(para("", ""), para("", "")) +
		tr(para("", ""), listed(1, 0, "d")) + `</w:tbl>`, "table: a | b c⏎ | d"},
	{"tables in tables", `<w:tbl>` + tr(para("", "a"),
		`<w:tbl>`+tr(para("", "x"), `<w:tbl>`+tr(para("", "deep"))+`</w:tbl>`+para("", "y"))+`</w:tbl>`+para("", "b")) +
		`</w:tbl>` + para("", "c"),
		"table: a | b\ntable: deep\ntable: x | y\nparagraph: c"},
	{"tables in tables, twice", strings.Repeat(`<w:tbl>`+tr(para("", "a"),
		`<w:tbl>`+tr(para("", "x"))+`</w:tbl>`+para("", "b"))+`</w:tbl>`, 2),
		"table: a | b\ntable: x\ntable: a | b\ntable: x"},
	{"a table of one column arranges", `<w:tbl><w:tblGrid><w:gridCol/></w:tblGrid>` +
		tr(para("berschrift2", "a")+`<w:tbl>`+tr(para("", "x"), para("", "y"))+`</w:tbl>`+listed(1, 0, "b")) + `</w:tbl>`,
		"heading2: a\ntable: x | y\nlist: - b"},
	{"wrapped rows and cells", `<w:tbl><w:sdt><w:sdtPr/><w:sdtContent><w:tr><w:sdt><w:sdtContent><w:tc>` + para("", "a") +
		`</w:tc></w:sdtContent></w:sdt><w:tc>` + para("", "b") + `</w:tc></w:tr></w:sdtContent></w:sdt></w:tbl>`,
		"table: a | b"},
	{"tracked changes", run(`<w:r><w:t xml:space="preserve">fee </w:t></w:r><w:del w:id="1"><w:r>` +
		`<w:delText>ten</w:delText></w:r></w:del><w:ins w:id="2"><w:r><w:t>twelve</w:t></w:r></w:ins>` +
		`<w:moveFrom><w:r><w:t>gone</w:t></w:r></w:moveFrom><w:moveTo><w:r><w:t xml:space="preserve"> moved</w:t></w:r>` +
		`</w:moveTo>`), "paragraph: fee twelve moved"},
	{"tracked changes of paragraph ends",
		run(`<w:pPr><w:rPr><w:del w:id="1"/></w:rPr></w:pPr><w:r><w:t>one</w:t></w:r>`) + para("", "half") +
			run(`<w:pPr><w:rPr><w:ins w:id="1"/></w:rPr></w:pPr><w:r><w:t>whole</w:t></w:r>`) +
			run(`<w:pPr><w:rPr><w:del w:id="1"/></w:rPr></w:pPr><w:r><w:t>last</w:t></w:r>`),
		"paragraph: onehalf\nparagraph: whole\nparagraph: last"},
	{"tracked changes of rows", `<w:tbl>` + tr(para("", "a")) + `<w:tr><w:trPr><w:del w:id="1"/></w:trPr><w:tc>` +
		para("", "b") + `</w:tc></w:tr><w:tr><w:trPr><w:ins w:id="1"/></w:trPr><w:tc>` + para("", "c") +
		`</w:tc></w:tr></w:tbl>`,
		"table: a⏎c"},
	{"a text box is read once, before what it hangs on",
		run(`<w:r><w:t xml:space="preserve">be</w:t><mc:AlternateContent><mc:Choice Requires="wps"><w:drawing><wp:docPr ` +
			`descr="alt text" title="t"/><wp:posOffset>12</wp:posOffset><wps:txbx><w:txbxContent>` + para("", "boxed") +
			`</w:txbxContent></wps:txbx></w:drawing></mc:Choice>` +
			`<mc:Fallback><w:pict><v:textbox><w:txbxContent>` + para("", "boxed") +
			`</w:txbxContent></v:textbox></w:pict></mc:Fallback></mc:AlternateContent><w:t>fore</w:t></w:r>`),
		"paragraph: boxed\nparagraph: before"},
	{"a choice without text leaves it to the fallback",
		run(`<w:r><mc:AlternateContent><mc:Choice Requires="x"><w:drawing/></mc:Choice><mc:Fallback><w:t>a</w:t>` +
			`</mc:Fallback></mc:AlternateContent></w:r>`), "paragraph: a"},
	{"hidden text", run(`<w:r><w:rPr><w:vanish/></w:rPr><w:t>no</w:t></w:r><w:r><w:rPr><w:vanish w:val="0"/></w:rPr>` +
		`<w:t>yes</w:t></w:r>`), "paragraph: yes"},
	{"controls, but not their prompts", `<w:sdt><w:sdtContent>` + para("", "a") + `</w:sdtContent></w:sdt>` +
		run(`<w:sdt><w:sdtPr><w:showingPlcHdr/></w:sdtPr><w:sdtContent><w:r><w:t>Click here.</w:t></w:r></w:sdtContent>`+
			`</w:sdt>`), "paragraph: a"},
	{"how to pronounce it", run(`<w:r><w:ruby><w:rt><w:r><w:t>とうきょう</w:t></w:r></w:rt><w:rubyBase><w:r><w:t>東京</w:t>` +
		`</w:r></w:rubyBase></w:ruby></w:r>`), "paragraph: 東京"},
	{"notes come last, each once, and none that nobody refers to",
		run(`<w:r><w:t>a</w:t><w:endnoteReference w:id="1"/><w:footnoteReference w:id="1"/><w:footnoteReference `+
			`w:id="1"/></w:r>`) + run(`<w:del><w:r><w:footnoteReference w:id="2"/></w:r></w:del>`) + para("", "b"),
		"paragraph: a\nparagraph: b\nparagraph: A footnote.\nparagraph: Its second half.\nparagraph: A endnote.\n" +
			"paragraph: Its second half."},
	{"equations", run(`<m:oMathPara><m:oMath><m:r><w:rPr/><m:t>A=</m:t></m:r><m:f><m:num><m:r><m:t>a</m:t></m:r>` +
		`</m:num><m:den><m:r><m:t>b</m:t></m:r></m:den></m:f>` +
		`<m:nary><m:naryPr><m:chr m:val="∑"/></m:naryPr><m:sub><m:r><m:t>i</m:t></m:r></m:sub><m:e><m:sSup><m:e><m:r>` +
		`<m:t>x</m:t></m:r></m:e><m:sup><m:r><m:t>2</m:t></m:r></m:sup></m:sSup></m:e></m:nary>` +
		`<m:d><m:dPr><m:begChr m:val="["/></m:dPr><m:e><m:rad><m:e><m:r><m:t>y</m:t></m:r></m:e></m:rad></m:e></m:d>` +
		`<m:func><m:fName><m:r><m:t>sin</m:t></m:r></m:fName><m:e><m:r><m:t>z</m:t></m:r></m:e></m:func></m:oMath>` +
		`</m:oMathPara>`),
		"paragraph: A=a/b∑_ix^2[√y)sin z"},
}

func TestWordBlocks(t *testing.T) {
	for _, tc := range wordBlocks {
		t.Run(tc.name, func(t *testing.T) {
			doc, err := office.DOCX(pack(t, word(tc.body, nil)), extract.Limits{})
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tc.want, show(doc.Blocks)); diff != "" {
				t.Errorf("-want +have\n%s", diff)
			}
		})
	}
}

func TestWordLinks(t *testing.T) {
	field := func(s string) string {
		return `<w:r><w:fldChar w:fldCharType="begin"/></w:r><w:r><w:instrText xml:space="preserve"> HYPERLINK ` +
			`</w:instrText></w:r><w:r><w:instrText>` + s +
			`</w:instrText></w:r><w:r><w:fldChar w:fldCharType="separate"/></w:r>`
	}
	const end = `<w:r><w:fldChar w:fldCharType="end"/></w:r>`
	body := `<w:p><w:r><w:t>x</w:t></w:r><w:hyperlink r:id="web" w:anchor="y"><w:r><w:t xml:space="preserve">the </w:t>` +
		`</w:r><w:r><w:t>fees</w:t></w:r></w:hyperlink>` +
		`<w:hyperlink r:id="mail"><w:r><w:t>m</w:t></w:r></w:hyperlink><w:hyperlink r:id="file"><w:r><w:t>f</w:t></w:r>` +
		`</w:hyperlink><w:hyperlink w:anchor="here"><w:r><w:t>h</w:t></w:r></w:hyperlink>` +
		`<w:hyperlink r:id="web"><w:r><w:t>again</w:t></w:r></w:hyperlink></w:p>` +
		`<w:p><w:r><w:t>before</w:t></w:r>` + field(`"https://field.example/" \t "_blank" `) +
		`<w:r><w:t>over</w:t></w:r></w:p><w:p><w:r><w:t>two</w:t></w:r>` + end + end + `</w:p>` +
		`<w:p>` + field(`"http://outer.example/"`) + `<w:r><w:t>see</w:t></w:r>` + field(`PAGE`) + `<w:r><w:t>7</w:t></w:r>` +
		end + `<w:r><w:t>f</w:t></w:r>` + end + `</w:p>` +
		`<w:p>` + field(`\l "bookmark"`) + end + field(`"javascript:alert(1)"`) + end +
		`<w:fldSimple w:instr=' HYPERLINK "http://simple.example/" '><w:r><w:t>simple</w:t></w:r></w:fldSimple></w:p>`
	doc, err := office.DOCX(pack(t, word(body, nil)), extract.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	want := []extract.Link{
		{URL: "https://port.example/a?b=1&c=2", Text: "the fees"},
		{URL: "https://field.example/", Text: "two"},
		{URL: "http://outer.example/", Text: "see7f"},
		{URL: "http://simple.example/", Text: "simple"},
	}
	if diff := cmp.Diff(want, doc.Links); diff != "" {
		t.Errorf("-want +have\n%s", diff)
	}
	if want := "xthe feesmfhagain\nbeforeover\ntwo\nsee7f\nsimple"; doc.VisibleText != want {
		t.Errorf("have %q, want %q", doc.VisibleText, want)
	}
}

// core returns the part with the properties of a file.
func core(title, language string) string {
	return `<cp:coreProperties xmlns:cp="c" xmlns:dc="d"><dc:title>` + title +
		`</dc:title><dc:creator>x</dc:creator><dc:language>` + language + `</dc:language></cp:coreProperties>`
}

func TestWordTitleAndLanguage(t *testing.T) {
	const own = `<Relationship Id="c" ` +
		`Type="http://schemas.openxmlformats.org/package/2006/relationships/metadata/core-properties" ` +
		`Target="docProps/core.xml"/>`
	in := func(lang, text string) string {
		return `<w:p><w:r><w:rPr><w:lang w:val="` + lang + `"/></w:rPr><w:t>` + text + `</w:t></w:r></w:p>`
	}
	for _, tc := range []struct{ name, body, core, title, language string }{
		{"declared", para("berschrift2", "Head"), core(" Fee  schedule ", "fr-CA"), "Fee schedule", "fr"},
		{"first heading, language of the styles", para("", "x") + para("Frage", "Head") + para("Titel", "Later"),
			core("", ""), "Head", "de"},
		{"no properties at all", para("Titel", "Head"), "", "Head", "de"},
		{"broken properties", para("Titel", "Head"), core("<<", ""), "Head", "de"},
		{"the title that nobody gave", para("Titel", "Head"), core("Présentation PowerPoint", "de"), "Head", "de"},
		{"most of the text", in("en-US", "a word") + in("nl-NL", "een heel lange zin") + in("en-GB", "two"), "", "", "nl"},
		{"as much of two", in("nl", "abc") + in("en", "abc") + in("fr", "ab"), "", "", "en"},
		{"Japanese in a program set to German", para("", "潮の満ち引き"), "", "", "ja"},
		{"Arabic in a program set to German", para("", "المد"), "", "", "ar"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			more := map[string]string{"_rels/.rels": rels(own, rel("a", "officeDocument", "text/main.xml"))}
			if tc.core != "" {
				more["docProps/core.xml"] = tc.core
			}
			doc, err := office.DOCX(pack(t, word(tc.body, more)), extract.Limits{})
			if err != nil {
				t.Fatal(err)
			}
			if doc.Title != tc.title || doc.Language != tc.language {
				t.Errorf("have %q in %q, want %q in %q", doc.Title, doc.Language, tc.title, tc.language)
			}
		})
	}
}
