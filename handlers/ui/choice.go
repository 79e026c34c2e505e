package ui

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/content/field"
	"github.com/tidemark/tidemark/pkg/form"
)

// This file turns what a person chooses in the dialogue into a rule and a watch, and a rule back into choices.
//
// A choice is in the values of the form: what, and what belongs to it. A rule that asks for more than the choices can
// say is kept as it is.

// The choices of what a person is told of.
const (
	toldAny   = "any"
	toldPart  = "part"
	toldValue = "value"
	toldStock = "stock"
	toldList  = "list"
	toldWord  = "word"
	toldKept  = "keep" // as the rule says already
)

// comparisons returns the choices for what a number has to do. The first is proposed.
func comparisons() []choice {
	return choices("below", "is below", "falls", "falls", "above", "is above", "rises", "rises",
		"by", "changes by more than", "any", "changes")
}

// checkedEvery returns the choices for how often pages are checked, besides that which is right for what is chosen.
func checkedEvery() []choice {
	return choices("15m", "every 15 minutes", "1h", "every hour", "6h", "every 6 hours", "1d", "once a day",
		"7d", "once a week")
}

// asSet says that pages are checked as often as their own settings say.
const asSet = "-"

// conditionOf returns the condition that a value meets. A limit without a unit is in that of the value.
func conditionOf(name, op, limit, unit string) (*api.Condition, error) {
	c := &api.Condition{Field: name, Op: "fromTo"}
	limit = strings.TrimSpace(limit)
	switch op {
	case "falls":
		c.Op, c.Against = "<", "previous"
	case "rises":
		c.Op, c.Against = ">", "previous"
	case "below", "above":
		c.Op = map[string]string{"below": "<", "above": ">"}[op]
		if c.Value = api.Constant(limit); isCurrency(unit) && !strings.ContainsFunc(limit, isWord) {
			c.Value = api.Constant(limit + " " + unit)
		}
	case "by":
		c.Op = "changedBy"
		if number, isShare := strings.CutSuffix(limit, "%"); isShare {
			limit, c.Unit = strings.TrimSpace(number), "%"
		}
		c.Value = api.Constant(limit)
	}
	if limit == "" && needsLimit(op) {
		return nil, wrongField("limit", "say a number, such as 80")
	}
	return c, nil
}

func needsLimit(op string) bool { return op == "below" || op == "above" || op == "by" }

func isWord(r rune) bool { return unicode.IsLetter(r) || unicode.Is(unicode.Sc, r) }

func isCurrency(unit string) bool {
	return len(unit) == 3 && !strings.ContainsFunc(unit, func(r rune) bool { return r < 'A' || r > 'Z' })
}

// comparisonOf is the reverse of [conditionOf]. It reports whether the condition is one that it makes.
func comparisonOf(c api.Condition, unit string) (op, limit string, ok bool) {
	limit = string(c.Value)
	switch {
	case c.Op == "<" || c.Op == ">":
		op = map[string]string{"<": "below", ">": "above", "<previous": "falls", ">previous": "rises"}[c.Op+c.Against]
		limit = strings.TrimSuffix(limit, " "+unit)
	case c.Op == "changedBy":
		op, limit = "by", strings.TrimSpace(limit+" "+c.Unit)
	case c.Op == "fromTo":
		op = "any"
	}
	if limit == "" && needsLimit(op) {
		return op, "", c.From+c.To == "" && c.Unit == "" // it is not said yet
	}
	made, err := conditionOf(c.Field, op, limit, unit)
	return op, limit, op != "" && err == nil && *made == c
}

// chosen returns the choices that make what a rule asks for, or false if there are none.
func (d *tellData) chosen(spec api.RuleSpec) (f url.Values, ok bool) {
	text, kind := spec.Filter.Added+spec.Filter.Removed, spec.Filter.Kind
	switch {
	case spec.When != nil && text+kind == "":
		return d.chosenValue(*spec.When)
	case spec.When != nil:
	case text == "" && kind == "":
		return url.Values{"what": {toldAny}}, true
	case text == "" && kind == string(api.ChangeListed):
		return url.Values{"what": {toldList}}, true
	case kind == "" && wordOf(text) != "" && (spec.Filter.Added == "") != (spec.Filter.Removed == ""):
		f = url.Values{"what": {toldWord}, "word": {wordOf(text)}}
		if spec.Filter.Removed != "" {
			f.Set("goes", "1")
		}
		return f, true
	}
	return nil, false
}

// chosenValue returns the choices for a condition. A value that the page does not offer is offered, too.
func (d *tellData) chosenValue(c api.Condition) (url.Values, bool) {
	at := slices.IndexFunc(d.Offers, func(o api.PageOffer) bool { return o.When != nil && o.When.Field == c.Field })
	if isInStock(c) && (at < 0 || d.Offers[at].Kind == api.OfferStock) {
		if at < 0 {
			d.Offers = append(d.Offers, api.PageOffer{Kind: api.OfferStock, Name: c.Field, When: inStock(c.Field)})
		}
		return url.Values{"what": {toldStock}}, true
	}
	unit := ""
	if at >= 0 {
		unit = d.Offers[at].Unit
	}
	if d.Of.Rule == "" && isCurrency(unit) && c.Value != "" && !strings.ContainsFunc(string(c.Value), isWord) {
		c.Value += api.Constant(" " + unit)
	}
	op, limit, ok := comparisonOf(c, unit)
	if !ok || at >= 0 && d.Offers[at].Kind == api.OfferStock {
		return nil, false
	}
	if at < 0 {
		d.Offers = append([]api.PageOffer{{Kind: api.OfferNumber, Name: c.Field, When: &c}}, d.Offers...)
	}
	return url.Values{"what": {toldValue}, "value": {c.Field}, "op": {op}, "limit": {limit}}, true
}

func inStock(name string) *api.Condition {
	return &api.Condition{Field: name, Op: "fromTo", To: "InStock"}
}

// isInStock reports whether a condition waits for a value that says that something is in stock.
func isInStock(c api.Condition) bool {
	if c.To == "in stock" {
		c.To = "InStock"
	}
	return c == *inStock(c.Field)
}

// A wish is what a person has chosen: the part of a rule that says of what they are told, and what has to be watched
// for it.
type wish struct {
	When                 *api.Condition
	Kind, Added, Removed string
	Watch                *api.Watch // to add to what is watched; nil for nothing
	Every                string     // how often pages should be checked for it; empty if that follows from the rule
	Now                  string     // what the page shows now of it
	Kept                 bool       // the rule stays as it is
}

// wish returns what is chosen in the form.
func (d *tellData) wish(f url.Values) (w wish, err error) {
	take := func(o *api.PageOffer) {
		if o != nil {
			w.Every, w.Now, w.Watch = o.Every, o.Text, d.missing(o.Watch)
		}
	}
	switch what := f.Get("what"); what {
	case toldKept:
		w.Kept = true
	case toldValue:
		name, unit := f.Get("value"), ""
		o := d.offer(func(o api.PageOffer) bool { return o.When != nil && o.When.Field == name })
		if take(o); o != nil {
			unit = o.Unit
		}
		if name == "" {
			return w, wrongField("value", "choose a number of the page, or another thing to be told of")
		}
		w.When, err = conditionOf(name, f.Get("op"), f.Get("limit"), unit)
	case toldStock:
		o := d.offer(func(o api.PageOffer) bool { return o.Kind == api.OfferStock })
		w.When = inStock("availability")
		if take(o); o != nil && o.When != nil {
			w.When = inStock(o.When.Field)
		}
	case toldList:
		o := d.offer(func(o api.PageOffer) bool {
			return o.Kind == api.OfferList && (o.Name == f.Get("list") || f.Get("list") == "")
		})
		if take(o); o == nil || o.Watch.List != "" || effectiveWatch(d.Item).List != "" {
			w.Kind = string(api.ChangeListed) // the rows of a table have no links: any change of them is told
		}
	case toldWord:
		if strings.TrimSpace(f.Get("word")) == "" {
			return w, wrongField("word", "say a word or a phrase, such as recall")
		}
		if w.Added = wordPattern(f.Get("word")); f.Get("goes") != "" {
			w.Added, w.Removed = "", w.Added
		}
	}
	return w, err
}

// offer returns the first offer of the page that fits, or nil.
func (d *tellData) offer(fits func(api.PageOffer) bool) *api.PageOffer {
	if at := slices.IndexFunc(d.Offers, fits); at >= 0 {
		return &d.Offers[at]
	}
	return nil
}

// missing returns what of an offered watch is not watched yet, or nil. A list is read without narrowing the page.
func (d *tellData) missing(w api.Watch) *api.Watch {
	now := effectiveWatch(d.Item)
	if w.List != "" {
		if w.Include = nil; now.List != "" && slices.Equal(now.ListLinks, w.ListLinks) {
			w.List, w.ListLinks = "", nil
		}
	}
	fresh := slices.DeleteFunc(slices.Clone(w.Include), func(s string) bool { return slices.Contains(now.Include, s) })
	if w.Include = nil; len(fresh) > 0 {
		w.Include = append(fresh, now.Include...)
	}
	fields := map[string]api.FieldSpec{}
	for name, spec := range w.Fields {
		if _, asked := now.Fields[name]; !asked {
			fields[name] = spec
		}
	}
	if w.Fields = fields; len(fields)+len(w.Include) == 0 && w.List == "" {
		return nil
	}
	return &w
}

// patch returns the changes of a rule that the wish makes.
func (w wish) patch() api.Patch {
	p := api.Patch{}
	if w.Kept {
		return p
	}
	set := func(value string, path ...string) {
		if p.Set(nil, path...); value != "" {
			p.Set(value, path...)
		}
	}
	set(w.Kind, "filter", "kind")
	set(w.Added, "filter", "added")
	set(w.Removed, "filter", "removed")
	if p["when"] = nil; w.When != nil {
		c := *w.When
		for name, value := range map[string]string{"field": c.Field, "op": c.Op, "value": string(c.Value), "unit": c.Unit,
			"from": string(c.From), "to": string(c.To), "against": c.Against, "first": ""} {
			set(value, "when", name)
		}
	}
	return p
}

// A proposal is a limit that is one press away.
type proposal struct{ Text, Value string }

// proposals returns the limits to propose for a number: a little below what it is.
func proposals(o api.PageOffer) (out []proposal) {
	var e api.FieldEntry
	e.Value = o.Value
	now, ok := amountOf(e)
	if !ok || now <= 0 {
		return nil
	}
	out = append(out, proposal{"falls at all", "falls"})
	for _, percent := range []float64{5, 10} {
		limit := now * (1 - percent/100)
		digits := 2
		if limit >= 20 {
			limit, digits = math.Floor(limit), 0
		}
		text := strconv.FormatFloat(limit, 'f', digits, 64)
		out = append(out, proposal{fmt.Sprintf("below %s (−%.0f %%)", text, percent), "below " + text})
	}
	return out
}

// toldOf says in a few words of what a change would tell.
func toldOf(c api.FeedChange) string {
	switch {
	case c.Field != nil && (c.Kind == api.ChangeField || c.Field.Condition != ""):
		return c.Field.Text
	case c.Listed != nil && c.Listed.Title != "":
		return "+ " + c.Listed.Title
	case len(c.Passages) > 0:
		shown := c.Passages
		at := slices.IndexFunc(shown, func(p api.ChangedPassage) bool { return p.Op == "added" })
		if at > 0 && len(shown[0].Pieces) == 0 { // what went has no line in its place
			shown = shown[at:]
		}
		return lineOf(shown)
	}
	return kindWord(c.Kind) + ": " + changeTitle(c)
}

// everyWords says how often: every 6 hours.
func everyWords(every string) string { return form.Every(&api.Interval{Min: every, Max: every}) }

// weekday names a day as a rule has it; Monday by default.
func weekday(day string) string {
	for d := time.Sunday; d <= time.Saturday; d++ {
		if strings.HasPrefix(strings.ToLower(d.String()), cmp.Or(day, "mon")) {
			return d.String()
		}
	}
	return day
}

// changes is what the form calls the operator fromTo with neither of its two values: any change from one to another.
const changes = "changes"

// An operator is a choice for what a condition wants of a field, with the parts of the sentence that it needs.
type operator struct {
	choice
	Needs string // words: see the parts of the template
}

// operators returns the choices for what a condition wants of a field.
func operators() (out []operator) {
	const comparison = "against constant value first"
	for _, o := range [][3]string{{"", "…", ""}, {"<", "is below", comparison}, {"<=", "is at most", comparison},
		{"=", "is", comparison}, {">=", "is at least", comparison}, {">", "is above", comparison},
		{changes, "changes", ""}, {"changedBy", "changes by at least", "value unit since"},
		{"fromTo", "goes from … to …", "from to first"}, {"appears", "appears", "first"},
		{"disappears", "disappears", "first"}} {
		out = append(out, operator{choice{Value: o[0], Text: o[1]}, o[2]})
	}
	return out
}

// needs returns the parts of the sentence that an operator needs.
func needs(op string) []string {
	for _, o := range operators() {
		if o.Value == op {
			return strings.Fields(o.Needs)
		}
	}
	return nil
}

// references returns the choices for a value that was seen before the check.
func references() []choice {
	return choices("previous", "the previous value", "lowest", "the lowest value",
		"highest", "the highest value", "first", "the first value")
}

// conditionValues adds to the values of the form what its sentence has besides the parts of a condition.
func conditionValues(f url.Values, c *api.Condition) {
	if c != nil && c.Op == "fromTo" && c.From == "" && c.To == "" {
		f.Set("when.op", changes)
	}
	f.Set("when.since", f.Get("when.against"))
}

// withCondition returns a form whose sentence is read: with the parts of a condition that the
// operator needs, because the others are not seen, and without any if there is no condition.
func withCondition(typed url.Values) (url.Values, error) {
	f := maps.Clone(typed)
	name, op := strings.TrimSpace(f.Get("when.field")), f.Get("when.op")
	switch {
	case name == "" && op != "":
		return nil, wrongField("when.field", "name the value that this is about, such as price or availability")
	case name != "" && op == "":
		return nil, wrongField("when.op", "choose what has to happen to "+name)
	case op == changes:
		f.Set("when.op", "fromTo")
	}
	needed := needs(op)
	against := ""
	for _, part := range []string{"against", "since", "value", "unit", "from", "to", "first"} {
		if !slices.Contains(needed, part) {
			f.Del("when." + part)
		}
		if part == "against" || part == "since" {
			against += f.Get("when." + part)
		}
	}
	if f.Set("when.against", against); slices.Contains(needed, "constant") && isSeen(against) {
		f.Del("when.value")
	}
	return f, nil
}

// isSeen reports whether what is compared with is a value that was seen before.
func isSeen(against string) bool { return against != "" && against != "value" }

// namesOf returns the names to propose for the value of a condition: those that are known of a page come first.
func namesOf(fields map[string]api.ItemField) []string {
	names := slices.Sorted(maps.Keys(fields))
	for _, name := range field.Usual {
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

// A sentencePart is an input in the sentence of a condition.
type sentencePart struct {
	Field
	List string // the id of its proposals
}

// part returns an input of the sentence.
func part(f Form, name, hint, list string) sentencePart {
	return sentencePart{f.Field("when."+name, "", hint), list}
}

// Size returns the width of the input in characters.
func (p sentencePart) Size() int { return min(24, max(10, len([]rune(p.Value))+1)) }
