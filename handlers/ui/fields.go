package ui

import (
	"encoding/json"
	"maps"
	"math"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/content/field"
	"github.com/tidemark/tidemark/pkg/form"
)

// A namedField is what is known of a field, with its name.
type namedField struct {
	Name string
	api.ItemField
}

// A fieldTable is a list of fields of an item.
type fieldTable struct {
	Item   api.Item
	Fields []namedField
}

// A goneField is a field whose place is gone, which breaks the watch of its item or not.
type goneField struct {
	ID, Name string
	Broken   bool
}

// fieldGroups are the fields of an item. First come those that somebody asked for, then those that
// people look for. A table is nil if it is empty.
type fieldGroups struct {
	Main, Others *fieldTable
	Gone         []goneField
	Unread       string // what could not be read of the data that the page declares
}

// fieldGroupsOf returns the fields of an item; nil if nothing is known of any.
func fieldGroupsOf(d api.ItemDetail) *fieldGroups {
	if len(d.Fields) == 0 && d.UnreadData == nil {
		return nil
	}
	g := &fieldGroups{Unread: form.Unread(d.UnreadData)}
	add := func(to **fieldTable, name string) {
		if *to == nil {
			*to = &fieldTable{Item: d.Item}
		}
		f := namedField{name, d.Fields[name]}
		if (*to).Fields = append((*to).Fields, f); f.isMissed() {
			g.Gone = append(g.Gone, goneField{d.ID, name, d.WatchBroken})
		}
	}
	names := slices.Sorted(maps.Keys(d.Fields))
	for _, name := range names {
		if d.Fields[name].Asked {
			add(&g.Main, name)
		}
	}
	for _, name := range field.Usual {
		if f, has := d.Fields[name]; has && !f.Asked {
			add(&g.Main, name)
		}
	}
	for _, name := range names {
		if !d.Fields[name].Asked && !field.Reported(name) {
			add(&g.Others, name)
		}
	}
	return g
}

// isMissed reports whether the place of the field is gone and somebody wants to know that: of the
// fields that are read unasked, only the price.
func (f namedField) isMissed() bool { return f.State == "gone" && (f.Asked || f.Name == "price") }

// sourceWords name the sources of fields.
var sourceWords = map[string]string{"json-ld": "JSON-LD", "microdata": "microdata", "rdfa": "RDFa",
	"opengraph": "OpenGraph", "css": "the CSS selector", "jsonpath": "the JSONPath"}

// sourceWord names where a field was read.
func sourceWord(from string) string {
	if word := sourceWords[from]; word != "" {
		return word
	}
	return from
}

// Varies reports whether the field had several values that can be compared.
func (f namedField) Varies() bool {
	return f.Lowest != nil && f.Highest != nil && f.Lowest.Text != f.Highest.Text
}

// fieldData is the data of the page about a field.
type fieldData struct {
	Item    api.ItemDetail
	Field   namedField
	Gone    *goneField // nil unless its place is gone
	History api.FieldHistory
	Rows    []fieldRow // newest first
	Past    spark
	Left    int    // values that the plot leaves out
	LeftWhy string // what they are
	Ranges  bool   // of some values, only the lowest amount is drawn
}

// A fieldRow is a value in a table, with the time until which it held; zero for the last one.
type fieldRow struct {
	api.FieldEntry
	Until time.Time
}

// valuesShown is the number of values that the page of a field shows.
const valuesShown = 1000

// field shows the history of a field.
func (v *visit) field() page {
	name := v.PathValue("name")
	it := v.itemHere()
	d := fieldData{Item: it, Field: namedField{name, it.Fields[name]}}
	q := api.FieldQuery{ID: it.ID, Name: name, Top: valuesShown}
	d.History = ask(v, api.GetField, q)
	until := it.LastChecked
	if until.IsZero() {
		until = v.clock()
	}
	if d.Field.isMissed() {
		d.Gone = &goneField{it.ID, name, it.WatchBroken}
	}
	d.Rows = rowsOf(d.History.Entries)
	d.draw(until.In(zoneOf(v.Request)))
	return page{Name: "field", Title: name + " of " + itemTitle(it.Item), Data: d}
}

// rowsOf returns the entries of a history, newest first.
func rowsOf(entries []api.FieldEntry) (rows []fieldRow) {
	var until time.Time
	for i, e := range slices.Backward(entries) {
		if i > 0 && e.Text != "" && e.Text == entries[i-1].Text {
			continue // the field was defined again
		}
		rows = append(rows, fieldRow{e, until})
		until = e.At
	}
	return rows
}

// draw draws the history, and says what the drawing leaves out.
func (d *fieldData) draw(until time.Time) {
	d.Past = sparkOf(valueName(d.Field.Name), d.Field.Type, d.History.Entries, until)
	if past := amountPoints(d.History.Entries); !d.Past.States {
		d.Left, d.LeftWhy = past.Left, past.Why
		d.Ranges = slices.ContainsFunc(past.Points, func(p plotPoint) bool { return strings.Contains(p.Text, "–") })
	}
}

// valueName writes the name of a field as a heading: availability is what people call stock.
func valueName(name string) string {
	return capital(field.Word(name))
}

// mostFigures limits the values that the page of an item shows large. The history of each costs a request.
const mostFigures = 3

// A figure is a value of a page, large, with its past.
type figure struct {
	namedField
	Past  spark
	Moved string // how it differs from the value before
	Tone  string // of Moved
}

// figuresOf returns the values of an item that people look for: price and stock, then those that somebody asked for.
func (v *visit) figuresOf(it api.ItemDetail, rules []api.Rule, now time.Time) (out []figure) {
	for _, name := range figureNames(it.Fields) {
		f := figure{namedField: namedField{name, it.Fields[name]}}
		past := ask(v, api.GetField, api.FieldQuery{ID: it.ID, Name: name, Top: 200})
		f.Past = sparkOf(f.Title(), f.Type, past.Entries, now)
		f.limit(rules)
		f.compare(now)
		out = append(out, f)
	}
	return out
}

// figureNames returns the names of the fields that are shown large.
func figureNames(fields map[string]api.ItemField) (out []string) {
	for _, name := range append([]string{"price", "availability"}, field.Usual...) {
		if f, has := fields[name]; has && f.Text != "" && !slices.Contains(out, name) {
			out = append(out, name)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		if fields[name].Asked && fields[name].Text != "" && !slices.Contains(out, name) {
			out = append(out, name)
		}
	}
	return out[:min(len(out), mostFigures)]
}

// Title writes the name of the field as a heading.
func (f namedField) Title() string { return valueName(f.Name) }

// Number returns the amount of the value as it is read, and Unit what follows it.
func (f figure) Number() string { return strings.TrimSpace(strings.TrimSuffix(f.Text, f.Unit())) }

// Unit returns what the amount is of; "" for a value that is no amount.
func (f figure) Unit() string {
	unit := strings.TrimSpace(f.Past.Unit)
	if unit == "" || !strings.HasSuffix(f.Text, unit) {
		return ""
	}
	return unit
}

// IsWord reports whether the value is a word, which is shown smaller than a number.
func (f figure) IsWord() bool { return f.Lowest == nil || f.Past.States }

// limit draws the limit of the first alert that compares the value with a constant.
func (f *figure) limit(rules []api.Rule) {
	for _, r := range rules {
		if r.When == nil || r.When.Field != f.Name || !r.Enabled || isSeen(r.When.Against) {
			continue
		}
		text := string(r.When.Value)
		number, _, _ := strings.Cut(text, " ")
		amount, err := strconv.ParseFloat(number, 64)
		if word := limitWords[r.When.Op]; word != "" && err == nil {
			f.Past.Level, f.Past.Told = &amount, "told "+word+" "+number
			return
		}
	}
}

var limitWords = map[string]string{"<": "below", "<=": "at most at", ">": "above", ">=": "at least at", "=": "at"}

// compare says how the value differs from the one before.
func (f *figure) compare(now time.Time) {
	points := f.Past.Points
	n := len(points)
	if f.Past.States && n > 1 {
		f.Moved = "since " + dayWord(now, points[n-1].At)
		return
	}
	if n < 2 || points[n-1].Text == "" || points[n-2].Text == "" {
		return
	}
	by := points[n-1].Amount - points[n-2].Amount
	word := "less"
	if by > 0 {
		word = "more"
	}
	if f.Type == "money" {
		f.Tone = map[string]string{"less": "good", "more": "warn"}[word]
	}
	like := f.Number()
	if f.Type == "money" && by != math.Trunc(by) {
		like = "0.00"
	}
	f.Moved = amountText(math.Abs(by), like) + " " + word
	if at := dayWord(now, points[n-1].At); at == "today" {
		f.Moved += " than before"
	} else {
		f.Moved += " since " + at
	}
}

// amountText writes an amount with as many decimals as another one.
func amountText(amount float64, like string) string {
	_, decimals, _ := strings.Cut(like, ".")
	if n := len(decimals); n > 0 && n <= 4 {
		return strconv.FormatFloat(amount, 'f', n, 64)
	}
	return number(amount)
}

// dayWord writes a day as people say it.
func dayWord(now, t time.Time) string {
	zone := now.Location()
	today, day := midnight(now, zone), midnight(t, zone)
	switch {
	case !day.Before(today):
		return "today"
	case !day.Before(today.AddDate(0, 0, -1)):
		return "yesterday"
	case day.After(today.AddDate(0, 0, -300)):
		return day.Format("2 January")
	}
	return day.Format("2 January 2006")
}

// amountOf returns the value of an entry as a number.
func amountOf(e api.FieldEntry) (amount float64, ok bool) {
	switch v := e.Value.(type) {
	case float64:
		return v, true
	case json.Number:
		amount, err := v.Float64()
		return amount, err == nil
	}
	return 0, false
}

// A pastOfAmounts is a history as a plot of amounts has it.
type pastOfAmounts struct {
	Points []plotPoint
	Unit   string
	Left   int    // values that the plot leaves out
	Why    string // what they are
}

// amountPoints returns the points of a plot of amounts. It plots the values that have the unit of
// the last one. It has no points if there is no amount.
func amountPoints(entries []api.FieldEntry) (past pastOfAmounts) {
	known := false
	why := map[string]bool{}
	for _, e := range slices.Backward(entries) {
		amount, ok := amountOf(e)
		p := plotPoint{At: e.At}
		if ok && !known {
			past.Unit, known = unitOf(e), true
		}
		switch {
		case ok && unitOf(e) == past.Unit:
			p.Amount, p.Text = amount, e.Text
		case ok:
			past.Left++
			why["in another currency or for another quantity"] = true
		case e.Value != nil:
			past.Left++
			why["in words"] = true
		}
		past.Points = append(past.Points, p)
	}
	if !known { // texts and dates
		return pastOfAmounts{}
	}
	slices.Reverse(past.Points)
	past.Why = strings.Join(slices.Sorted(maps.Keys(why)), ", and ")
	return past
}

// unitOf returns the currency of a value and what the price is for: the words behind the last figure of its text.
func unitOf(e api.FieldEntry) string {
	at := strings.Index(e.Text, e.Currency)
	if e.Currency == "" || at < 0 {
		_, per, _ := strings.Cut(e.Text, " per ")
		if per == "" {
			return ""
		}
		return "per " + per
	}
	return e.Text[at:]
}

// stocked are the availabilities of what can be bought.
var stocked = []string{"InStock", "InStoreOnly", "OnlineOnly", "LimitedAvailability"}

// unstocked are those of what cannot be bought.
var unstocked = []string{"OutOfStock", "SoldOut", "Discontinued"}

// isAvailability reports whether a field is one. The type of a field that has disappeared is not
// known: then it is one if its values are availabilities.
func isAvailability(entries []api.FieldEntry, of string) bool {
	if of != "" {
		return of == "availability"
	}
	for _, e := range entries {
		if text, ok := e.Value.(string); ok {
			return slices.Contains(stocked, text) || slices.Contains(unstocked, text)
		}
	}
	return false
}

// statePoints returns the points of a drawing of availabilities.
func statePoints(entries []api.FieldEntry) (points []plotPoint) {
	for _, e := range entries {
		name, _ := e.Value.(string)
		points = append(points, plotPoint{At: e.At, Text: e.Text, Yes: slices.Contains(stocked, name)})
	}
	return points
}

// fieldPath returns the path of the page about a field. The name may be any text.
func fieldPath(id, name string) string {
	return itemPath(id) + "/fields/" + url.PathEscape(name)
}

// csvPath returns the path of the history of a field as CSV.
func csvPath(id, name string) string {
	return itemPath(id) + "/csv/" + url.PathEscape(name)
}
