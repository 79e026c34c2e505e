package office_test

import (
	"archive/zip"
	"bytes"
	"io"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tidemark/tidemark/pkg/content/extract/office"
	"pgregory.net/rapid"
)

// inflated returns the size of the readable XML parts of an archive.
func inflated(body []byte) int {
	z, err := zip.NewReader(bytes.NewReader(body), int64(len(body)))
	if err != nil {
		return 0
	}
	sum := int64(0)
	for _, f := range z.File {
		if r, err := f.Open(); err == nil {
			n, _ := io.Copy(io.Discard, io.LimitReader(r, 1<<20))
			sum += n
		}
	}
	return int(sum)
}

// FuzzArchive changes bytes of whole files.
func FuzzArchive(f *testing.F) {
	for path, body := range files(f) {
		f.Add(body, filepath.Ext(path) == ".pptx")
	}
	f.Add(pack(f, word(para("", "a"), nil)), false)
	f.Add(compound("EncryptedPackage"), false)
	f.Fuzz(func(t *testing.T, body []byte, slides bool) {
		read := office.DOCX
		if slides {
			read = office.PPTX
		}
		checkDocument(t, read, body, inflated(body))
	})
}

// parts returns the parts of an archive, by name.
func parts(t testing.TB, body []byte) map[string]string {
	z, err := zip.NewReader(bytes.NewReader(body), int64(len(body)))
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]string{}
	for _, file := range z.File {
		r, err := file.Open()
		if err != nil {
			t.Fatal(err)
		}
		content, err := io.ReadAll(r)
		if err != nil {
			t.Fatal(err)
		}
		out[file.Name] = string(content)
	}
	return out
}

func total(parts map[string]string) int {
	sum := 0
	for _, content := range parts {
		sum += len(content)
	}
	return sum
}

// FuzzDocx changes the XML of a Word document.
func FuzzDocx(f *testing.F) {
	for path, body := range files(f) {
		if p := parts(f, body); filepath.Ext(path) == ".docx" {
			f.Add(p["word/document.xml"], p["word/styles.xml"], p["word/numbering.xml"], p["word/footnotes.xml"])
		}
	}
	p := word(para("berschrift2", "a")+listed(2, 1, "b")+`<w:tbl>`+tr(para("", "c"), para("", "d"))+`</w:tbl>`, nil)
	f.Add(p["text/main.xml"], p["text/s.xml"], p["text/n.xml"], p["text/sub/f.xml"])
	f.Fuzz(func(t *testing.T, main, styles, numbering, notes string) {
		p := word("", map[string]string{"text/main.xml": main, "text/s.xml": styles, "text/n.xml": numbering,
			"text/sub/f.xml": notes})
		checkDocument(t, office.DOCX, pack(t, p), total(p))
	})
}

// FuzzPptx changes the XML of a slide, its notes and a diagram.
func FuzzPptx(f *testing.F) {
	for path, body := range files(f) {
		if filepath.Ext(path) != ".pptx" {
			continue
		}
		for name, content := range parts(f, body) {
			if strings.HasPrefix(name, "ppt/slides/slide") {
				f.Add(content, content, content)
			}
		}
	}
	f.Fuzz(func(t *testing.T, slide, notes, diagram string) {
		p := deck([]string{box("title", ap("a", "", "")), ""}, []string{"", ""}, map[string]string{
			"ppt/slides/slide1.xml": slide, "ppt/notes/slide1.xml": notes, "ppt/diagrams/data1.xml": diagram})
		checkDocument(t, office.PPTX, pack(t, p), total(p))
	})
}

// vocabulary is the set of pieces that FuzzElements combines: each byte of its program selects one of these, or the
// end of the open element.
var vocabulary = strings.Fields(`
	<w:p> <w:p> <w:p> <w:r> <w:r> <w:t> <w:t> <w:t> <w:pPr> <w:rPr> <w:tbl> <w:tbl> <w:tr> <w:tc> <w:tblGrid> <w:gridCol>
	<w:trPr>
	<w:pStyle_w:val="berschrift2"> <w:pStyle_w:val="Liste2"> <w:pStyle_w:val="Quelltext"> <w:pStyle_w:val="Zitat">
	<w:pStyle_w:val="Verzeichnis1">
	<w:numPr> <w:numId_w:val="1"> <w:numId_w:val="4"> <w:numId_w:val="5"> <w:numId_w:val="6"> <w:ilvl_w:val="1">
	<w:ilvl_w:val="99"> <w:outlineLvl_w:val="3">
	<w:sdt> <w:sdtPr> <w:sdtContent> <w:showingPlcHdr> <w:del> <w:ins> <w:vanish> <w:lang_w:val="fr-FR"> <w:br> <w:tab>
	<w:sym_w:char="0041">
	<mc:AlternateContent> <mc:Choice> <mc:Fallback> <w:txbxContent> <w:hyperlink_r:id="web">
	<w:fldSimple_w:instr="HYPERLINK_&quot;http://x.example&quot;">
	<w:fldChar_w:fldCharType="begin"> <w:fldChar_w:fldCharType="separate"> <w:fldChar_w:fldCharType="end"> <w:instrText>
	<w:footnoteReference_w:id="1"> <w:endnoteReference_w:id="1"> <m:oMath> <m:r> <m:d> <m:dPr> <m:begChr_m:val="["> <m:e>
	<m:nary> <m:sup> <m:den> <m:fName>
	<p:sp> <p:nvPr> <p:ph_type="title"> <p:ph_type="body"> <p:ph_type="ftr"> <p:txBody> <p:graphicFrame> <a:p> <a:p> <a:r>
	<a:t> <a:t> <a:tbl> <a:tr> <a:tc>
	<a:pPr_lvl="1"> <a:pPr> <a:buNone> <a:buChar> <a:buAutoNum_startAt="9"> <a:fld_type="slidenum"> <a:fld>
	<a:hlinkClick_r:id="web"> <a:br> <dgm:relIds_r:dm="dm"> <dgm:pt>
	tide |_high_ \u00ad 1._ -_ water`)

// xmlOf returns the XML that a program writes. It is always well-formed.
func xmlOf(program []byte) string {
	var out strings.Builder
	var open []string
	for _, b := range program[:min(len(program), 4000)] {
		word := "</"
		if int(b) < len(vocabulary) {
			word = strings.ReplaceAll(vocabulary[b], "_", " ")
		}
		name, _, _ := strings.Cut(strings.Trim(word, "<>"), " ")
		switch {
		case word[0] != '<':
			out.WriteString(word)
		case word != "</" && len(open) < 100:
			out.WriteString(word)
			open = append(open, name)
		case word == "</" && len(open) > 0:
			out.WriteString("</" + open[len(open)-1] + ">")
			open = open[:len(open)-1]
		}
	}
	for i := range open {
		out.WriteString("</" + open[len(open)-1-i] + ">")
	}
	return out.String()
}

// FuzzElements combines known elements in unusual ways.
func FuzzElements(f *testing.F) {
	for _, seed := range []string{"\x00\x03\x05\xff\xff\xff", "\x0a\x0c\x0d\x00\x05\x5f\xff\xff\xff\xff\xff",
		"\x48\x48\x4f\x53\x56\x58\x5f\xff\xff\xff"} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, program []byte) { checkProgram(t, program) })
}

// TestAnyArrangement runs the check of FuzzElements on generated programs.
func TestAnyArrangement(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		checkProgram(rt, rapid.SliceOf(rapid.Map(rapid.IntRange(0, len(vocabulary)+20),
			func(i int) byte { return byte(i) })).Draw(rt, "program"))
	})
}

func checkProgram(t rapid.TB, program []byte) {
	body := xmlOf(program)
	p := word(body, map[string]string{"text/sub/f.xml": "<w:footnotes><w:footnote w:id='1'>" + body +
		"</w:footnote></w:footnotes>"})
	checkDocument(t, office.DOCX, pack(t, p), total(p))
	p = deck([]string{body, box("title", ap("a", "", ""))}, []string{body},
		map[string]string{"ppt/diagrams/data1.xml": "<x>" + body + "</x>"})
	checkDocument(t, office.PPTX, pack(t, p), total(p))
}
