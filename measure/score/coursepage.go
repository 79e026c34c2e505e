package main

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"
)

// coursePage is the page of a course. The fact moves with time, and the ticker with each request.
type coursePage struct {
	course   *course
	values   []string
	moves    []time.Time // when each value but the first one begins
	at       int         // the value that was seen last
	requests int
}

// labels name the facts.
var courseLabels = map[string]string{"price": "Berth fee", "rate": "One euro", "level": "Water level",
	"count": "North pier", "status": "The lock", "hours": "Office open", "last row": "Tide"}

// body returns the page at a time.
func (p *coursePage) body(at time.Time) (contentType string, body []byte) {
	for p.at < len(p.moves) && !p.moves[p.at].After(at) {
		p.at++
	}
	p.requests++
	shown, beside := p.rows(), ""
	switch ticker := fmt.Sprintf("harbour count %d by the tower", 48_120+p.requests*3+p.requests%2); p.course.ticker {
	case "own line":
		beside = strings.ToUpper(ticker[:1]) + ticker[1:]
	case "same line":
		shown[len(shown)-1][1] += "; " + ticker
	}
	switch p.course.layout {
	case "JSON":
		return "application/json", courseJSON(shown, beside)
	case "table":
		return "text/html", courseHTML("<table><tr><th>What</th><th>Now</th></tr>", "<tr><td>%s</td><td>%s</td></tr>",
			"</table>", shown, beside)
	case "cards":
		return "text/html", courseHTML("<div class=cards>", "<div class=card><h3>%s</h3><p>%s</p></div>", "</div>",
			shown, beside)
	}
	return "text/html", courseHTML("", "<p>%s: %s.</p>", "", shown, beside)
}

// rows returns what the page says, the fact last: two rows that stay and the fact, or, for the last row of a table, the
// rows before it.
func (p *coursePage) rows() (rows [][2]string) {
	if p.course.fact == "last row" {
		for i := max(0, p.at-4); i <= p.at; i++ {
			rows = append(rows, [2]string{fmt.Sprintf("Tide %d", 1200+i), p.values[i]})
		}
		return rows
	}
	return [][2]string{{"Cranes", "two of ten tons each"}, {"Water", "at each berth"},
		{courseLabels[p.course.fact], p.values[p.at]}}
}

const courseProse = "<p>The harbour office keeps the books of the quay, the cranes and the sheds, and whoever moors " +
	"here is asked to read them before the first night of a stay in port.</p>"

func courseHTML(begin, row, end string, rows [][2]string, beside string) []byte {
	var b strings.Builder
	b.WriteString("<!doctype html><html lang=en><head><meta charset=utf-8><title>North Quay</title></head><body>" +
		"<header><a href=/>Port</a></header><main><h1>North Quay</h1>" + courseProse + begin)
	for _, r := range rows {
		fmt.Fprintf(&b, row, r[0], r[1])
	}
	b.WriteString(end + courseProse)
	if beside != "" {
		b.WriteString("<p>" + beside + "</p>" + courseProse)
	}
	return []byte(b.String() + "</main><footer>Imprint</footer></body></html>")
}

func courseJSON(rows [][2]string, beside string) []byte {
	about := map[string]any{"place": "North Quay", "kept by": "the harbour office"}
	if beside != "" {
		about["tower"] = beside
	}
	var all []map[string]string
	for _, r := range rows {
		all = append(all, map[string]string{"name": r[0], "now": r[1]})
	}
	about["what"] = all
	body, _ := json.MarshalIndent(about, "", " ") // texts always encode
	return body
}
