package handlers

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tidemark/tidemark/pkg/api"
)

// offersOf returns what a page offers, one line for each.
func offersOf(t *testing.T, r *rig, id string) (out api.PageOffers, lines []string) {
	t.Helper()
	w := do(t, r, "GET", "/api/items/"+id+"/offers", "")
	if err := json.Unmarshal(w.Body.Bytes(), &out); err != nil || w.Code != 200 {
		t.Fatalf("%d %s", w.Code, w.Body)
	}
	for _, o := range out.Offers {
		line := fmt.Sprintf("%s %s: %s, %v %s %d, %s", o.Kind, o.Name, o.Text, o.Value, o.Unit, o.Entries, o.Every)
		if o.When != nil {
			line += fmt.Sprintf(" when %s %s %s%s", o.When.Field, o.When.Op, o.When.Value, o.When.To)
		}
		lines = append(lines, line)
	}
	return out, lines
}

// TestWhatAPageOffers checks what a page offers to be told of: each value once, with the condition and the interval of
// its kind, and lists with the number of their entries; and that each offer is saved as it is.
func TestWhatAPageOffers(t *testing.T) {
	r := newRig(t)
	id, _ := r.priced()
	r.say(id, `<script type="application/ld+json">{"@type":"Product","name":"one","offers":{"price":"79","priceCurrency":"EUR",
		"availability":"https://schema.org/OutOfStock"}}</script>
		<p class=cost>79 EUR</p><p class=was><del>99 EUR</del></p><p class=ship>Shipping: <b class=sum>4.90 EUR</b></p>
		<p class=seats>4 places left</p><p>Founded in 1999.</p>`+meetingsTable+`</p><h2>Jobs</h2><div class=jobs>
		<article><h3><a href=/1>Warden</a></h3><p>night</article><article><h3><a href=/2>Nurse</a></h3><p>day</article>
		<article><h3><a href=/3>Cook</a></h3><p>noon</article></div><h2>Papers</h2>
		<ul><li><a href=/a.pdf>Agenda</a><li><a href=/m.pdf>Minutes</a></ul><nav><p class=tel>7 EUR</p></nav><p>`)
	offers, have := offersOf(t, r, id)
	want := []string{
		"price price: 79 EUR, 79 EUR 0, 1h when price < 79 EUR",
		"price Shipping: 4.90 EUR, 4.9 EUR 0, 1h when shipping < 4.9 EUR",
		"stock availability: out of stock, OutOfStock  0, 15m when availability fromTo InStock",
		"list Jobs: Warden; Nurse; Cook, <nil>  3, 6h",
		"list Papers: Agenda; Minutes, <nil>  2, 6h",
		"number places-left: 4 places left, 4 places left 0, 1d when places-left fromTo ",
	}
	if diff := cmp.Diff(want, have); diff != "" {
		t.Fatalf("(-want +have)\n%s", diff)
	}
	for _, o := range offers.Offers {
		patch, _ := json.Marshal(map[string]any{"watch": o.Watch})
		says(t, do(t, r, "PATCH", "/api/items/"+id, string(patch)), 200, `"watch"`)
		rule := api.NewRule{RuleSpec: api.RuleSpec{Name: o.Name, Filter: api.RuleFilter{ItemID: id}, When: o.When,
			Every: o.Every, Channels: []string{"hook"}}, RuleSaving: api.RuleSaving{Anyway: true}}
		body, _ := json.Marshal(rule)
		says(t, do(t, r, "POST", "/api/rules/test", string(body)), 200, `"matched"`)
	}
	if _, again := offersOf(t, r, id); !cmp.Equal(again, have) {
		t.Errorf("after all were saved: %s", strings.Join(again, "\n"))
	}
	if w := do(t, r, "GET", "/api/items/"+strings.Repeat("a", 30)+"/offers", ""); w.Code != 400 {
		t.Errorf("no item: %d %s", w.Code, w.Body)
	}
}

// TestThePriceThatHoldsIsOfferedFirst checks that a price that is struck out is not offered, however a page strikes it
// out, and that an earlier or usual price, and the costs of shipping, come after the price that holds.
func TestThePriceThatHoldsIsOfferedFirst(t *testing.T) {
	for name, page := range map[string]string{
		"s":     `<p><s>99 EUR</s> <b>79 EUR</b></p>`,
		"del":   `<p><del>99 EUR</del></p><p>79 EUR</p>`,
		"style": `<p><i style="color:grey;text-decoration:line-through">99 EUR</i> <b>79 EUR</b></p>`,
		"text":  `<p><span style="text-decoration: line-through">99 EUR</span> 79 EUR</p>`,
		"role":  `<p><span role=deletion>99 EUR</span> <span>79 EUR</span></p>`,
		"class": `<p><span class="price line-through">99 EUR</span> <span>79 EUR</span></p>`,
		"style sheet": `<style>p .o,.x_O{color:red;text-decoration:line-through}</style>
			<p><i class=x_O>99 EUR</i> <b>79 EUR</b></p>`,
		"row": `<table><tr><th>List price<td><s>99 EUR</s><tr><th>Our price<td>79 EUR</table>`,
	} {
		r := newRig(t)
		id, _ := r.priced()
		r.say(id, page)
		if _, have := offersOf(t, r, id); len(have) == 0 || !strings.HasSuffix(have[0], "1h when price < 79 EUR") ||
			strings.Contains(strings.Join(have, "; "), "99") {
			t.Errorf("%s: %q", name, have)
		}
	}
	for name, page := range map[string]string{ // the name of the other price is that of its label, if it has one
		"price-2":    `<p>Was <span>99 EUR</span></p><p>Now <span>79 EUR</span></p>`,
		"rrp":        `<div><span>RRP</span><span>99 EUR</span></div><div><span>Our price</span><span>79 EUR</span></div>`,
		"list-price": `<table><tr><th>List price:<td>99 EUR<tr><th>Our price<td>79 EUR</table>`,
		"price-2 ":   `<p>statt 99 EUR</p><p>jetzt 79 EUR</p>`,
		"shipping":   `<p>Shipping: <b>99 EUR</b></p><p>79 EUR</p>`,
	} {
		r := newRig(t)
		id, _ := r.priced()
		r.say(id, page)
		if _, have := offersOf(t, r, id); len(have) != 2 || !strings.Contains(have[0], "when price < 79 EUR") ||
			!strings.Contains(have[1], "when "+strings.TrimSpace(name)+" < 99 EUR") {
			t.Errorf("%s: %q", name, have)
		}
	}
}
