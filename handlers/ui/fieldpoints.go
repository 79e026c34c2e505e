package ui

import (
	"encoding/json"
	"maps"
	"net/url"
	"slices"
	"strings"

	"github.com/tidemark/tidemark/pkg/api"
)

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

// A bandWord is a value of a plot with bands, with the class of its colour.
type bandWord struct{ Text, Tone string }

// stockTones are the colours of availabilities; others have that of waiting.
var stockTones = map[string]string{"InStock": "good", "InStoreOnly": "good", "OnlineOnly": "good",
	"LimitedAvailability": "good", "OutOfStock": "bad", "SoldOut": "bad", "Discontinued": "quiet"}

// isAvailability reports whether a field is one. The type of a field that has disappeared is not
// known: then it is one if its values are availabilities.
func isAvailability(entries []api.FieldEntry, of string) bool {
	if of != "" {
		return of == "availability"
	}
	for _, e := range entries {
		if text, ok := e.Value.(string); ok {
			return stockTones[text] != ""
		}
	}
	return false
}

// bandPoints returns the points of a plot of availabilities, with the different values among them.
func bandPoints(entries []api.FieldEntry) (points []plotPoint, all []bandWord) {
	for _, e := range entries {
		p := plotPoint{At: e.At, Text: e.Text}
		if name, ok := e.Value.(string); ok {
			if p.Tone = stockTones[name]; p.Tone == "" {
				p.Tone = "wait"
			}
			if w := (bandWord{p.Text, p.Tone}); !slices.Contains(all, w) {
				all = append(all, w)
			}
		}
		points = append(points, p)
	}
	return points, all
}

// fieldPath returns the path of the page about a field. The name may be any text.
func fieldPath(id, name string) string {
	return "/items/" + url.PathEscape(id) + "/fields/" + url.PathEscape(name)
}

// newRulePath returns the path of the form of a new rule about a field, with the condition that
// most people want of its type.
func newRulePath(it api.Item, f namedField) string {
	q := url.Values{"filter.itemId": {it.ID}, "when.field": {f.Name}, "name": {f.Name + " of " + itemTitle(it)}}
	switch {
	case f.Type == "availability", f.Type == "" && f.Name == "availability":
		q.Set("when.op", "fromTo")
		q.Set("when.to", "in stock")
	case f.Type == "money" || f.Type == "number" || f.Type == "" && f.Lowest != nil: // it has disappeared
		q.Set("when.op", "<")
	case f.Type != "":
		q.Set("when.op", "changes")
	}
	return linkTo("/notifications/new-rule", q)
}

// csvPath returns the path of the history of a field as CSV.
func csvPath(id, name string) string {
	return "/items/" + url.PathEscape(id) + "/csv/" + url.PathEscape(name)
}
