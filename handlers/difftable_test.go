package handlers

import (
	"encoding/json"
	"net/url"
	"strings"
	"testing"

	"github.com/tidemark/tidemark/pkg/api"
)

// TestW22TableOfADifference checks that a difference of a table is a table in the dashboard, in lists and on its own
// page, with the rows that differ alone, and that a cell that is not watched is marked as ignored.
func TestW22TableOfADifference(t *testing.T) {
	r := newRig(t)
	id := idOf(t, "https://port.example/ok/one")
	do(t, r, "POST", "/api/AddUrlDocument", `{"url":"https://port.example/ok/one"}`)
	r.work()
	table := func(price, seen string) string {
		return "</p><table><tr><th>Lamp<th>Price<th>Seen<tr><td>Oil<td>30 EUR<td class=seen>1 time" +
			"<tr><td>Storm &lt;b&gt;<td>" + price + " EUR<td class=seen>" + seen + " times" +
			"<tr><td>Pit<td>12 EUR<td class=seen>3 times</table><p>"
	}
	r.say(id, table("79", "12"))
	r.say(id, table("84", "13"))
	const cells = `<td data-label="Price" dir="auto"><del>79</del> <ins>84</ins> EUR</td>`
	page := shows(t, r, "/api/ui/items/"+id+"/diff", `<table class="stacks">`, `<th scope="col">Price</th>`, cells,
		"Storm &lt;b&gt;", "2 rows are the same", "Ignore lines…")
	if strings.Contains(page, "Oil") || strings.Contains(page, "| ") {
		t.Errorf("rows that are the same are shown:\n%s", page)
	}
	shows(t, r, "/api/ui/", `<table class="stacks">`,
		`<td data-label="Price" dir="auto"><del>79</del> <ins>84</ins>`)
	post(t, r, "/api/ui/tell?more=page&item="+id, "same-origin", url.Values{"do": {"save"}, "watch.exclude": {".seen"}})
	var d api.Diff
	must(t, json.Unmarshal(do(t, r, "GET", "/api/items/"+id+"/diff", "").Body.Bytes(), &d))
	row := d.Hunks[0].Table.Rows[0]
	if row.Ignored != "" || row.PartlyIgnored != "exclude: .seen" || row.Cells[1].Text[0].Ignored ||
		!row.Cells[2].Text[0].Ignored {
		t.Errorf("%+v", row)
	}
	shows(t, r, "/api/ui/items/"+id+"/diff", `<ins class="ignored">13</ins> times`, "grey is ignored: .seen is left out")
}
