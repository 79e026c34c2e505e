package handlers

import (
	"archive/zip"
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/xuri/excelize/v2"

	"github.com/tidemark/tidemark/pkg/api"
)

// halls is a table whose rows are pressed, as documents of each kind show it.
type halls [][3]string

var (
	hallsNow = halls{{"Town Hall", "10:00", "12 EUR"}, {"Great Hall", "19:30", "42 EUR"},
		{"Old Barn", "20:00", "8 EUR"}}
	hallsAbove   = slices.Insert(slices.Clone(hallsNow), 0, [3]string{"Aula", "08:00", "5 EUR"})
	hallsTurned  = halls{hallsNow[2], hallsNow[1], hallsNow[0]}
	hallsChanged = halls{hallsAbove[0], hallsNow[2], {"Great Hall", "19:30", "55 EUR"}, hallsNow[0]}
	hallsGone    = halls{hallsAbove[0], hallsNow[2], hallsNow[0]}
)

func (h halls) each(form string) string {
	var out strings.Builder
	for _, row := range h {
		fmt.Fprintf(&out, form, row[0], row[1], row[2])
	}
	return out.String()
}

func (h halls) json() string {
	rows := h.each(`{"name":%q,"time":%q,"fee":%q},`)
	return `{"halls":[` + rows[:len(rows)-1] + `],"note":"by the council"}`
}

func (h halls) xml() string {
	return `<?xml version="1.0"?><!DOCTYPE d [<!ENTITY by "by">]><c:day xmlns="urn:a" xmlns:c="urn:b"><note>&by; council</note>` +
		h.each(`<c:hall><c:name>%s</c:name><time>%s</time><fee><![CDATA[%s]]></fee></c:hall>`) + `</c:day>`
}

// attributes is XML whose elements have all they say in attributes.
func (h halls) attributes() string {
	return `<day><note>by the council</note>` + h.each(`<hall name="%s" time="%s" fee="%s"/>`) + `</day>`
}

func (h halls) feed() string {
	return `<rss version="2.0"><channel><title>Halls</title>` +
		h.each(`<item><link>https://port.example/%[1]s</link><title>%[1]s</title><time>%[2]s</time><fee>%[3]s</fee></item>`) +
		`</channel></rss>`
}

func zipped(t *testing.T, parts ...string) string {
	var out bytes.Buffer
	z := zip.NewWriter(&out)
	for i := 0; i < len(parts); i += 2 {
		w, err := z.Create(parts[i])
		must(t, err)
		_, err = w.Write([]byte(parts[i+1]))
		must(t, err)
	}
	must(t, z.Close())
	return out.String()
}

const ofWord = "http://schemas.openxmlformats.org/"

func (h halls) docx(t *testing.T) string {
	cell := `<w:tc><w:p><w:r><w:t>%s</w:t></w:r></w:p></w:tc>`
	row := `<w:tr>` + cell + cell + cell + `</w:tr>`
	return zipped(t, "_rels/.rels", `<Relationships xmlns="`+ofWord+`package/2006/relationships"><Relationship Id="a" Type="`+
		ofWord+`officeDocument/2006/relationships/officeDocument" Target="/d.xml"/></Relationships>`,
		"d.xml", `<w:document xmlns:w="`+ofWord+`wordprocessingml/2006/main"><w:body><w:p><w:r><w:t>The halls of the town.`+
			`</w:t></w:r></w:p><w:tbl>`+fmt.Sprintf(row, "Hall", "Time", "Fee")+h.each(row)+`</w:tbl></w:body></w:document>`)
}

// xlsx is a workbook with two sheets that have the same keys, a merged title, and times that are numbers with a format.
func (h halls) xlsx(t *testing.T) string {
	f := excelize.NewFile()
	must(t, f.SetSheetRow("Sheet1", "A1", &[]any{"Halls of the town"}))
	must(t, f.MergeCell("Sheet1", "A1", "C1"))
	clock, err := f.NewStyle(&excelize.Style{NumFmt: 20})
	must(t, err)
	must(t, f.SetSheetRow("Sheet1", "A3", &[]any{"Hall", "Time", "Fee"}))
	for i, row := range h {
		hour, minute := 0, 0
		_, err := fmt.Sscanf(row[1], "%d:%d", &hour, &minute)
		must(t, err)
		must(t, f.SetSheetRow("Sheet1", fmt.Sprint("A", i+4), &[]any{row[0], float64(hour*60+minute) / 1440, row[2]}))
		must(t, f.SetCellStyle("Sheet1", fmt.Sprint("B", i+4), fmt.Sprint("B", i+4), clock))
	}
	_, err = f.NewSheet("Last year")
	must(t, err)
	must(t, f.SetSheetRow("Last year", "A1", &[]any{"Hall", "Fee"}))
	must(t, f.SetSheetRow("Last year", "A2", &[]any{"Great Hall", "40 EUR"}))
	var out bytes.Buffer
	must(t, f.Write(&out))
	return out.String()
}

// pdf has a page for each two rows, which repeats the header.
func (h halls) pdf(t *testing.T) string {
	objects := []string{"<</Type/Catalog/Pages 2 0 R>>", "", "<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>"}
	kids := ""
	for i := 0; i < len(h); i += 2 {
		text, y := "BT /F 11 Tf 60 780 Td (These are the halls of the town, which the) Tj 0 -13 Td (council lets to "+
			"everybody. Ask for them) Tj 0 -13 Td (a week before, please.) Tj ET\n", 700
		for _, row := range append(halls{{"Hall", "Time", "Fee"}}, h[i:min(i+2, len(h))]...) {
			for j, cell := range row {
				text += fmt.Sprintf("BT /F 11 Tf %d %d Td (%s) Tj ET\n", 60+150*j, y, cell)
			}
			y -= 30
		}
		kids += fmt.Sprintf("%d 0 R ", len(objects)+1)
		objects = append(objects, fmt.Sprintf("<</Type/Page/Parent 2 0 R/MediaBox[0 0 600 840]/Resources"+
			"<</Font<</F 3 0 R>>>>/Contents %d 0 R>>", len(objects)+2),
			fmt.Sprintf("<</Length %d>>\nstream\n%s\nendstream", len(text), text))
	}
	objects[1] = fmt.Sprintf("<</Type/Pages/Kids[%s]/Count %d>>", kids, len(objects)/2-1)
	out := "%PDF-1.7\n"
	for i, o := range objects {
		out += fmt.Sprintf("%d 0 obj\n%s\nendobj\n", i+1, o)
	}
	return out + fmt.Sprintf("trailer <</Size %d/Root 1 0 R>>\n%%%%EOF\n", len(objects)+1)
}

// W36: TestW36PressedDocuments checks that a value of a document of each kind is pressed, is found by its key when a
// row is put above it and when the order is another, is told with its text, and that its end is told.
func TestW36PressedDocuments(t *testing.T) {
	const price, gone = "field price: 42 → 55 EUR", "the field price is not there"
	lines := func(name string) [2]string { return [2]string{"- " + name + "42 EUR", "- " + name + "55 EUR"} }
	for _, tt := range []struct {
		name, file string
		make       func(h halls) string
		selector   string
		says       string
		told       string
		texts      [2]string // before and after
		gone       string
	}{
		{"JSON", "a.json", halls.json, `$.halls[?@.name=="Great Hall"].fee`, "“fee” of the entry “Great Hall”",
			"field fee: 42 → 55 EUR", lines("fee: "), "the field fee is not there"},
		{"XML", "a.xml", halls.xml, `ul:under("hall: Great Hall") li:named("fee")`,
			"the entry “fee” in the part under “hall: Great Hall”", price, lines("fee: "), gone},
		{"XML of attributes", "b.xml", halls.attributes, `li:named("hall.name: Great Hall") li:named("hall.fee")`,
			"the entry “hall.fee” in the entry “hall.name: Great Hall”", price, lines("hall.fee: "), gone},
		{"feed", "f.xml", halls.feed, `ul:under("Great Hall") li:named("fee")`,
			"the entry “fee” in the part under “Great Hall”", price, lines("fee: "), gone},
		{"docx", "a.docx", func(h halls) string { return h.docx(t) }, `tr:named("Great Hall") td:column("Fee")`,
			"“Fee” of the row “Great Hall”", price, [2]string{"42 EUR", "55 EUR"}, gone},
		{"xlsx", "a.xlsx", func(h halls) string { return h.xlsx(t) }, `tr:named("Great Hall", "19:30") td:column("Fee")`,
			"“Fee” of the row “Great Hall, 19:30”", price, [2]string{"42 EUR", "55 EUR"}, gone},
		{"PDF", "a.pdf", func(h halls) string { return h.pdf(t) }, `p:named("Great Hall *")`,
			"its first words, “Great Hall *”", "content", [2]string{"Great Hall 19:30 42 EUR", "Great Hall 19:30 55 EUR"}, gone},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := newRig(t)
			id := idOf(t, "https://port.example/ok/"+tt.file)
			r.sendsAs(tt.file, tt.make(hallsNow))
			trial := r.trial(id, `{"text":"42 EUR","scope":"this"}`)
			if i := slices.IndexFunc(trial.Offers, func(o api.PartOffer) bool { return o.Selector == tt.selector }); i < 0 ||
				trial.Selector != tt.selector || trial.Offers[i].Says != tt.says || trial.Offers[i].By != "key" {
				t.Errorf("%s: %+v", trial.Selector, trial.Offers)
			}
			patch, err := json.Marshal(map[string]any{"watch": trial.Watch})
			must(t, err)
			says(t, do(t, r, "PATCH", "/api/items/"+id, string(patch)), 200, "")
			for _, same := range []halls{hallsNow, hallsAbove, hallsTurned} {
				r.sendsAs(tt.file, tt.make(same))
			}
			if told := r.passages(); len(told) != 1 {
				t.Errorf("told %q", told)
			}
			r.sendsAs(tt.file, tt.make(hallsChanged))
			if told := r.passages(); len(told) != 2 || !strings.HasPrefix(told[0], tt.told) ||
				!strings.HasSuffix(told[0], strings.Join(append([]string{""}, tt.texts[:]...), " | ")) {
				t.Errorf("told %q", told)
			}
			r.sendsAs(tt.file, tt.make(hallsGone))
			if told := r.passages(); len(told) != 4 || !strings.Contains(told[0], tt.gone) ||
				!strings.HasSuffix(told[1], " | "+tt.texts[1]) {
				t.Errorf("told %q", told)
			}
		})
	}
}

// passages returns what is told, the newest first, with the texts that are gone and come.
func (r *rig) passages() (out []string) {
	var page api.ChangePage
	must(r.t, json.Unmarshal(do(r.t, r, "GET", "/api/changes", "").Body.Bytes(), &page))
	for _, c := range page.Changes {
		text := string(c.Kind) + " " + c.Why
		for _, p := range c.Passages {
			text += " | " + p.Text
		}
		out = append(out, text)
	}
	return out
}

// sendsAs lets a file have some content, adds it the first time, and checks it.
func (r *rig) sendsAs(name, body string) {
	r.t.Helper()
	r.now = r.now.Add(time.Second)
	add := r.web.more == nil
	r.web.more = map[string]string{name: body}
	if add {
		do(r.t, r, "POST", "/api/AddUrlDocument", `{"url":"https://port.example/ok/`+name+`"}`)
	} else {
		do(r.t, r, "POST", "/api/ReindexItem", `{"id":"`+idOf(r.t, "https://port.example/ok/"+name)+`","force":true}`)
	}
	r.work()
}
