package ui

import (
	"html/template"
	"maps"
	"net/http"
	"slices"
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
func fieldGroupsOf(d itemData) *fieldGroups {
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
	Past    api.FieldHistory
	Rows    []fieldRow // newest first
	Plot    template.HTML
	Bands   []bandWord // the tones of the values in the plot
	Left    int        // values that the plot leaves out
	LeftWhy string     // what they are
	Ranges  bool       // of some values, only the lowest amount is drawn
}

// A fieldRow is a value in a table, with the time until which it held; zero for the last one.
type fieldRow struct {
	api.FieldEntry
	Until time.Time
}

// valuesShown is the number of values that the page of a field shows.
const valuesShown = 1000

// field shows the history of a field.
func (a area) field(r *http.Request) (page, error) {
	ctx, name := r.Context(), r.PathValue("name")
	it, err := api.GetItem.Call(ctx, a.client, api.ItemID{ID: r.PathValue("id")})
	if err != nil {
		return page{}, err
	}
	d := fieldData{Item: it, Field: namedField{name, it.Fields[name]}}
	q := api.FieldQuery{ID: it.ID, Name: name, Top: valuesShown}
	if d.Past, err = api.GetField.Call(ctx, a.client, q); err != nil {
		return page{}, err
	}
	until := it.LastChecked
	if until.IsZero() {
		until = a.clock()
	}
	if d.Field.isMissed() {
		d.Gone = &goneField{it.ID, name, it.WatchBroken}
	}
	d.Rows = rowsOf(d.Past.Entries)
	d.draw(until.In(zoneOf(r)))
	return page{Name: "field", Title: name + " of " + itemTitle(it.Item), Data: d}, nil
}

// rowsOf returns the entries of a history, newest first.
func rowsOf(entries []api.FieldEntry) (rows []fieldRow) {
	var until time.Time
	for _, e := range slices.Backward(entries) {
		rows = append(rows, fieldRow{e, until})
		until = e.At
	}
	return rows
}

// draw draws the history: amounts as a line, availabilities as bands. Texts and dates have no picture.
func (d *fieldData) draw(until time.Time) {
	h := plotted{Name: "The history of " + d.Field.Name, Until: until}
	if isAvailability(d.Past.Entries, d.Field.Type) {
		h.Points, d.Bands = bandPoints(d.Past.Entries)
		d.Plot = h.drawBands()
		return
	}
	past := amountPoints(d.Past.Entries)
	h.Points, h.Unit, d.Left, d.LeftWhy = past.Points, past.Unit, past.Left, past.Why
	d.Plot = h.draw()
	d.Ranges = slices.ContainsFunc(h.Points, func(p plotPoint) bool { return strings.Contains(p.Text, "–") })
}
