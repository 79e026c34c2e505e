package office_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/tidemark/tidemark/pkg/content/extract"
	"github.com/tidemark/tidemark/pkg/content/extract/office"
)

func TestSlides(t *testing.T) {
	const frame = `<p:graphicFrame><p:nvGraphicFramePr><p:nvPr><p:ph idx="1"/></p:nvPr></p:nvGraphicFramePr><a:graphic>` +
		`<a:graphicData>`
	for _, tc := range []struct {
		name          string
		slides, notes []string
		want          string
	}{
		{"the order of the show, not of the names", []string{box("title", ap("one", "", "")),
			box("ctrTitle", ap("two", "", ""))}, nil, "heading2: one\nheading2: two"},
		{"the title comes first", []string{box("-", ap("text", "", "")) + box("title", ap("a", "", ""), ap("b", "", ""))},
			nil, "heading2: a\nheading2: b\nparagraph: text"},
		{"bodies are lists", []string{box("body", ap("a", "", ""), ap("b", `lvl="1"`, ""), ap("", "", ""),
			ap("c", `lvl="0"`, ""), ap("d", `indent="0"`, "<a:buNone/>")) + box("", ap("e", "", ""))}, nil,
			"list: - a⏎  - b⏎- c\nparagraph: d\nlist: - e"},
		{"other shapes are not, unless they say so", []string{box("subTitle", ap("a", "", "")) +
			box("-", ap("b", "", ""), ap("c", "", `<a:buFont/><a:buChar char="•"/>`))}, nil,
			"paragraph: a\nparagraph: b\nlist: - c"},
		{"numbers", []string{box("-", ap("a", "", `<a:buAutoNum type="arabicPeriod" startAt="3"/>`),
			ap("b", `lvl="1"`, `<a:buAutoNum/>`), ap("c", "", `<a:buAutoNum startAt="3"/>`),
			ap("d", `lvl="1"`, `<a:buAutoNum/>`))}, nil,
			"list: 3. a⏎  1. b⏎4. c⏎  1. d"},
		{"numbers after a bullet", []string{box("-", ap("a", "", `<a:buAutoNum/>`), ap("b", "", `<a:buChar char="-"/>`),
			ap("c", "", `<a:buAutoNum/>`))}, nil, "list: 1. a⏎- b⏎1. c"},
		{"struck text, exponents and indices", []string{box("-", `<a:p><a:r><a:rPr strike="noStrike"/><a:t>Fee </a:t></a:r>`+
			`<a:r><a:rPr strike="sngStrike"/><a:t>5</a:t></a:r><a:r><a:rPr baseline="0"/><a:t> 10</a:t></a:r>`+
			`<a:r><a:rPr baseline="30000"/><a:t>6</a:t></a:r><a:r><a:t> x</a:t></a:r><a:r><a:rPr baseline="-25000"/>`+
			`<a:t>i</a:t></a:r></a:p>`)}, nil, "paragraph: Fee ~~5~~ 10^6 x_i"},
		{"what repeats is left out", []string{box("dt", ap("May", "", "")) + box("ftr", ap("Port", "", "")) +
			box("sldNum", ap("7", "", "")) +
			box("-", `<a:p><a:r><a:t xml:space="preserve">on </a:t></a:r><a:fld type="slidenum"><a:t>7</a:t></a:fld><a:fld `+
				`type="datetime1"><a:t>May</a:t></a:fld><a:fld type="other"><a:t>top</a:t></a:fld></a:p>`)}, nil,
			"paragraph: on top"},
		{"tables", []string{frame + `<a:tbl><a:tblGrid/><a:tr><a:tc><a:txBody>` + ap("a", "", "") +
			`</a:txBody></a:tc><a:tc><a:txBody>` + ap("b", "", "") + ap("c", "", "") + `</a:txBody></a:tc></a:tr>` +
			`<a:tr><a:tc><a:txBody/></a:tc><a:tc hMerge="1"/></a:tr></a:tbl></a:graphicData></a:graphic></p:graphicFrame>` +
			box("-", ap("after", "", ""))}, nil, "table: a | b c\nparagraph: after"},
		{"groups, breaks and choices", []string{`<p:grpSp><p:grpSp>` +
			box("-", `<a:p><a:r><a:t>a</a:t></a:r><a:br/><a:r><a:t>b</a:t></a:r></a:p>`) + `</p:grpSp></p:grpSp>` +
			`<mc:AlternateContent><mc:Choice>` + box("-", ap("new", "", "")) + `</mc:Choice><mc:Fallback>` +
			box("-", ap("old", "", "")) + `</mc:Fallback></mc:AlternateContent>`}, nil,
			"paragraph: a⏎b\nparagraph: new"},
		{"diagrams, each once", []string{frame + `<dgm:relIds r:dm="dm" r:lo="lo"/><dgm:relIds r:dm="dm"/></a:graphicData>` +
			`</a:graphic></p:graphicFrame>` + box("-", ap("after", "", ""))}, nil, "list: - plan⏎- moor\nparagraph: after"},
		{"notes follow their slide", []string{box("title", ap("one", "", "")), box("title", ap("two", "", ""))},
			[]string{box("sldImg", "") + box("body", ap("say", "", ""), ap("this", "", "")) + box("sldNum", ap("1", "", ""))},
			"heading2: one\nparagraph: say\nparagraph: this\nheading2: two"},
		{"no slides", nil, nil, ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			more := map[string]string{"ppt/diagrams/data1.xml": `<dgm:dataModel><dgm:ptLst><dgm:pt><dgm:t>` +
				ap("plan", "", "") + `</dgm:t></dgm:pt><dgm:pt><dgm:t>` + ap("moor", "", "") +
				`</dgm:t></dgm:pt></dgm:ptLst></dgm:dataModel>`}
			doc, err := office.PPTX(pack(t, deck(tc.slides, tc.notes, more)), extract.Limits{})
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tc.want, show(doc.Blocks)); diff != "" {
				t.Errorf("-want +have\n%s", diff)
			}
		})
	}
}

func TestSlideLinksAndLanguage(t *testing.T) {
	slide := box("-", `<a:p><a:r><a:rPr lang="pt-BR"><a:hlinkClick r:id="web"/></a:rPr><a:t>pagar agora</a:t></a:r>`+
		`<a:r><a:rPr lang="en-US"><a:hlinkClick r:id="n"/></a:rPr><a:t>notes</a:t></a:r></a:p>`)
	doc, err := office.PPTX(pack(t, deck([]string{slide}, []string{box("body", "")}, nil)), extract.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]extract.Link{{URL: "https://port.example/pay", Text: "pagar agora"}}, doc.Links); diff != "" {
		t.Errorf("-want +have\n%s", diff)
	}
	if doc.Language != "pt" {
		t.Errorf("have %q, want the language of most of the text", doc.Language)
	}
}
