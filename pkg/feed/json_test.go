package feed

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/content/field"
)

// TestG1FieldsOfChanges checks the form of changed fields in the API: numbers, what has disappeared, the one that is
// told before the others, and that what a check saw again is left out; and that a change of a value that the page shows
// is one of its content (G1).
func TestG1FieldsOfChanges(t *testing.T) {
	euros := func(n string) field.Value {
		return field.Value{Type: field.Money, Number: field.Decimal(n), Currency: "EUR"}
	}
	c := Change{Kind: Field, At: time.Date(2026, 11, 27, 12, 0, 0, 0, time.UTC), From: "a", To: "b",
		Passages: []Passage{{Text: "84,50 €", Op: Added}}, Fields: []field.Change{
			{Name: "author", State: field.Found, Now: field.Moment{Value: field.Value{Type: field.Text, Text: "A"}}},
			{Name: "same", State: field.Found, Same: true},
			{Name: "price", At: ".price", State: field.Found, Reported: true, Then: field.Moment{Value: euros("79")},
				Now: field.Moment{Value: euros("84.5")}},
			{Name: "sale", State: field.Disappeared, Reported: true, Then: field.Moment{Value: euros("5")}},
		}}
	out := c.JSON()
	have, err := json.Marshal(out.Fields)
	const want = `[{"name":"author","type":"text","previous":null,"current":"A","text":"→ A","state":"value"},` +
		`{"name":"price","path":".price","type":"money","previous":79,"current":84.5,"currency":"EUR",` +
		`"text":"79 → 84.50 EUR","state":"value","told":true},{"name":"sale","type":"money","previous":5,"current":null,` +
		`"currency":"EUR","text":"5 EUR → none","state":"disappeared","told":true}]`
	if err != nil || string(have) != want || out.Field.Name != "price" {
		t.Errorf("%v, %s\nhave %s\nwant %s", err, out.Field.Name, have, want)
	}
	for kind, wanted := range map[string]bool{"content": true, "field": true, "title": false} {
		hidden := c
		hidden.Passages = nil
		f, err := NewFilter(api.ChangeFilter{Kind: kind})
		if err != nil || f.Wants(c) != wanted || f.Wants(hidden) != (kind == "field") {
			t.Errorf("%s: %v, %v, of a value that is not shown %v", kind, err, f.Wants(c), f.Wants(hidden))
		}
	}
}
