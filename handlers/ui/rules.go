package ui

import (
	"cmp"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/content/field"
	"github.com/tidemark/tidemark/pkg/form"
	"github.com/tidemark/tidemark/pkg/notify/letter"
)

type ruleData struct {
	ID       string // empty for a new rule
	Origin   string
	Gathered int
	Broken   string // why the rule reports nothing
	Firing   api.Firing
	Channels []api.Channel
	Form     Form
	Preview  *api.RuleTest
	Page     api.ItemDetail // for a rule for one page
}

// rule shows the form of a rule.
func (a area) rule(r *http.Request) (page, error) {
	d := ruleData{ID: r.PathValue("id")}
	test, err := api.TestRule.Call(r.Context(), a.client, api.RuleID{ID: d.ID})
	switch problem := refusal(err); {
	case err == nil:
		d.Preview = &test
	case problem == nil || problem.Status != http.StatusBadRequest: // the page of a broken rule says why
		return page{}, err
	}
	return a.rulePage(r, d)
}

// newRule shows the form of a new rule. The page's address may give initial values for the form.
func (a area) newRule(r *http.Request) (page, error) {
	d := ruleData{Form: newForm(api.RuleSpec{})}
	given := r.URL.Query()
	maps.Copy(d.Form.Values, given)
	if len(given) > 0 { // it is tried at once, for the values that lead here
		given.Set(was, d.Form.Was.Encode())
		if patch, err := ruleChanges(given); err == nil {
			if test, err := a.tried(r, "", patch); err == nil {
				d.Preview = &test
			}
		}
	}
	return a.rulePage(r, d)
}

// page finds the page of a rule for one page. A page that is not registered any more has only its id.
func (a area) page(r *http.Request, d *ruleData) {
	id := d.Form.Get("filter.itemId")
	if id == "" {
		return
	}
	it, err := api.GetItem.Call(r.Context(), a.client, api.ItemID{ID: id})
	if d.Page = it; err != nil {
		d.Page.ID = id
	}
	if p := refusal(err); p != nil && p.Status == http.StatusNotFound {
		d.Broken = cmp.Or(d.Broken, "its page is not watched any more")
	} else if d.Page.Paused {
		d.Broken = cmp.Or(d.Broken, "its page is paused, and checked only on request")
	}
}

// Variables lists what the words of a message may stand for.
func (d ruleData) Variables() []letter.Variable { return letter.Variables }

// Begun returns the query that opens the form of this new rule again, with the changes that were chosen.
func (d ruleData) Begun() string {
	begun := url.Values{}
	for name, values := range d.Form.Values {
		if name == "name" || strings.HasPrefix(name, "filter.") || strings.HasPrefix(name, "when.") {
			begun[name] = values
		}
	}
	return begun.Encode()
}

// Names returns the names of values to propose.
func (d ruleData) Names() []string { return namesOf(d.Page.Fields) }

// Present returns the present value of the page that the condition is about, if it is known.
func (d ruleData) Present() (now api.ItemField) {
	if now = d.Page.Fields[strings.TrimSpace(d.Form.Get("when.field"))]; now.State != "value" {
		return api.ItemField{}
	}
	return now
}

// only selects the channel of a new rule, if only one was made here.
func (d *ruleData) only() {
	here := slices.DeleteFunc(slices.Clone(d.Channels), func(c api.Channel) bool { return c.Origin != "here" })
	if d.ID == "" && len(here) == 1 && !d.Form.Values.Has("do") {
		d.Form.Values = maps.Clone(d.Form.Values)
		d.Form.Values.Set("channels", here[0].Name)
	}
}

// propose fills in how often the pages of a new rule for a page or a tag are checked.
func (d *ruleData) propose() {
	f := d.Form.Values
	some := f.Get("filter.itemId") + f.Get("filter.tag") + f.Get("filter.items")
	if d.ID != "" || f.Has("do") || f.Get("every") != "" || some == "" {
		return
	}
	spec := api.RuleSpec{When: &api.Condition{Field: strings.TrimSpace(f.Get("when.field"))}}
	spec.Filter.Kind = strings.Join(f["filter.kind"], ",")
	d.Form.Values = maps.Clone(f)
	d.Form.Values.Set("every", form.ProposedEvery(spec, d.Page.Watch))
}

// Cost says what the checks of the rule cost a site, for each page; "" if the rule does not say how often they are.
func (d ruleData) Cost() string { return form.Cost(d.Form.Get("every")) }

func (a area) rulePage(r *http.Request, d ruleData) (page, error) {
	all, err := api.ListChannels.Call(r.Context(), a.client, api.None{})
	d.Channels = all.Channels
	p := page{Name: "rule"}
	switch {
	case err != nil:
	case d.ID == "":
		p.Title = "New rule"
	default:
		var it api.Rule
		it, err = api.GetRule.Call(r.Context(), a.client, api.RuleID{ID: d.ID})
		d.Origin, d.Gathered, p.Title = it.Origin, it.Gathered, "Rule "+it.Name
		d.Broken, d.Firing = cmp.Or(it.Problem, it.Warning), it.Firing
		if d.Form.Values == nil {
			d.Form = newForm(it.RuleSpec)
			conditionValues(d.Form.Values, it.When)
		}
	}
	a.page(r, &d)
	d.only()
	d.propose()
	p.Data = d
	if d.Form.Problem != nil {
		p.Status = d.Form.Problem.Status
	}
	return p, err
}

// ruleChanges returns what a person changed in the form of a rule.
func ruleChanges(typed url.Values) (api.Patch, error) {
	typed, err := withCondition(typed)
	if err != nil {
		return nil, err
	}
	if strings.TrimSpace(typed.Get("quietHours.from")+typed.Get("quietHours.to")) == "" {
		typed.Del("quietHours.timezone") // the browser fills it in
	}
	return changesOf[api.RuleSpec](typed)
}

// tried tries a rule with changes that are not saved; a new one if the id is empty.
func (a area) tried(r *http.Request, id string, patch api.Patch) (out api.RuleTest, err error) {
	var rule api.Rule
	if id != "" {
		if rule, err = api.GetRule.Call(r.Context(), a.client, api.RuleID{ID: id}); err != nil {
			return out, err
		}
	}
	if err := patch.Apply(&rule.RuleSpec); err != nil {
		return out, err
	}
	form.Tidy(&rule.RuleSpec)
	return api.PreviewRule.Call(r.Context(), a.client, api.NewRule{RuleSpec: rule.RuleSpec})
}

// wrongField returns a problem about one field, in the form of the API's problems.
func wrongField(field, detail string) *api.Problem {
	return &api.Problem{Title: "Bad Request", Status: http.StatusBadRequest, Detail: detail,
		Errors: []api.FieldError{{Field: field, Message: detail}}}
}

// saveRule previews, saves or removes a rule. A new rule has no id yet.
func (a area) saveRule(r *http.Request) (page, error) {
	f, id := r.PostForm, r.PathValue("id")
	if f.Get("do") == "remove" {
		_, err := api.RemoveRule.Call(r.Context(), a.client, api.RuleID{ID: id})
		return goTo("/notifications?done=rule-remove"), err
	}
	d := ruleData{ID: id, Form: newForm(api.RuleSpec{}).Typed(f, nil)}
	patch, err := ruleChanges(f)
	if err == nil && f.Get("do") == "now" {
		patch = api.Patch{"now": true}
	}
	if err == nil && f.Get("do") == "anyway" {
		patch.Set(true, "anyway")
	}
	var saved api.Rule
	switch {
	case err != nil:
	case f.Get("do") == "preview":
		var test api.RuleTest
		if test, err = a.tried(r, id, patch); err == nil {
			d.Preview = &test
			return a.rulePage(r, d)
		}
	case id == "":
		var spec api.NewRule
		if err = patch.Apply(&spec); err == nil {
			saved, err = api.AddRule.Call(r.Context(), a.client, spec)
		}
	default:
		saved, err = api.PatchRule.Call(r.Context(), a.client, api.RulePatch{ID: id, Patching: api.Patching{Patch: patch}})
	}
	if problem := refusal(err); problem != nil && problem.Status != http.StatusNotFound {
		d.Form.Problem = sayThis(problem)
		return a.rulePage(r, d)
	}
	return goTo(savedAt(saved, f.Get("do"))), err
}

// savedAt returns where a person goes on who has saved a rule: to the rule if there is something to say of it.
func savedAt(saved api.Rule, do string) string {
	at := "/notifications/rules/" + url.PathEscape(saved.ID)
	switch {
	case do == "now":
		return at + "?done=rule-now"
	case len(saved.Cannot)+len(saved.Holds) > 0:
		return at + "?done=rule-save"
	}
	return "/notifications?done=rule-save"
}

// A pastOf says what a trial of a rule cannot know of the value that its condition is about. At
// most one of Unread, Unlisted and Since is set.
type pastOf struct {
	Name     string
	Unread   bool      // no such value of the page has been read
	Known    []string  // the values of the page that have been read
	Unlisted bool      // its changes are listed only while somebody asks for it
	Since    time.Time // it has been read since then
}

// tried is the time that a trial of a rule looks back.
const tried = 30 * 24 * time.Hour

// Past returns what the trial of this rule cannot know; nil if it knows all, or if the rule has no condition.
func (d ruleData) Past(now time.Time) *pastOf {
	p := &pastOf{Name: strings.TrimSpace(d.Form.Get("when.field"))}
	f, read := d.Page.Fields[p.Name]
	usual := field.Reported(p.Name)
	switch {
	case p.Name == "":
		return nil
	case d.Page.ID == "":
		p.Unlisted = !usual
	case !read && !d.Page.LastChecked.IsZero():
		p.Unread, p.Known = true, slices.Sorted(maps.Keys(d.Page.Fields))
	case read && !f.Asked && !usual:
		p.Unlisted = true
	case f.First != nil && now.Sub(f.First.At) < tried:
		p.Since = f.First.At
	}
	if !p.Unread && !p.Unlisted && p.Since.IsZero() {
		return nil
	}
	return p
}
