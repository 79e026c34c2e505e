package rules

import (
	"cmp"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/tidemark/tidemark/handlers/ui/frame"
	"github.com/tidemark/tidemark/handlers/ui/show"
	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/notify/wording"
)

type ruleData struct {
	ID       string // empty for a new rule
	Origin   string
	Gathered int
	Broken   string // why the rule reports nothing
	Channels []api.Channel
	Form     frame.Form
	Preview  *api.RuleTest
	Page     api.ItemDetail // for a rule for one page
}

// rule shows the form of a rule.
func (a area) rule(r *http.Request) (frame.Page, error) {
	d := ruleData{ID: r.PathValue("id")}
	test, err := api.TestRule.Call(r.Context(), a.client, api.RuleID{ID: d.ID})
	switch problem := frame.Refusal(err); {
	case err == nil:
		d.Preview = &test
	case problem == nil || problem.Status != http.StatusBadRequest: // the page of a broken rule says why
		return frame.Page{}, err
	}
	return a.rulePage(r, d)
}

// newRule shows the form of a new rule. The page's address may give initial values for the form.
func (a area) newRule(r *http.Request) (frame.Page, error) {
	d := ruleData{Form: frame.Form{Values: r.URL.Query()}}
	if len(d.Form.Values) > 0 { // it is tried at once, for the values that lead here
		if spec, err := ruleSpec(d.Form.Values); err == nil {
			if test, err := api.PreviewRule.Call(r.Context(), a.client, spec); err == nil {
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
	if p := frame.Refusal(err); p != nil && p.Status == http.StatusNotFound {
		d.Broken = cmp.Or(d.Broken, "its page is not watched any more")
	} else if d.Page.Paused {
		d.Broken = cmp.Or(d.Broken, "its page is paused, and checked only on request")
	}
}

// Variables lists what the words of a message may stand for.
func (d ruleData) Variables() []wording.Variable { return wording.Variables }

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

func (a area) rulePage(r *http.Request, d ruleData) (frame.Page, error) {
	all, err := api.ListChannels.Call(r.Context(), a.client, api.None{})
	d.Channels = all.Channels
	p := frame.Page{Name: "rule"}
	switch {
	case err != nil:
	case d.ID == "":
		p.Title = "New rule"
	default:
		var it api.Rule
		it, err = api.GetRule.Call(r.Context(), a.client, api.RuleID{ID: d.ID})
		d.Origin, d.Gathered, p.Title = it.Origin, it.Gathered, "Rule "+it.Name
		d.Broken = cmp.Or(it.Problem, it.Warning)
		if d.Form.Values == nil {
			d.Form.Values = ruleValues(it.RuleSpec)
		}
	}
	a.page(r, &d)
	d.only()
	p.Data = d
	if d.Form.Problem != nil {
		p.Status = d.Form.Problem.Status
	}
	return p, err
}

// ruleValues returns a rule as values of the form's fields.
func ruleValues(s api.RuleSpec) url.Values {
	f := url.Values{"name": {s.Name}, "channels": s.Channels, "filter.host": {s.Filter.Host},
		"filter.tag": {s.Filter.Tag}, "filter.type": {s.Filter.Type}, "filter.kind": strings.Split(s.Filter.Kind, ","),
		"filter.q": {s.Filter.Q}, "filter.zone": {s.Filter.Zone},
		"filter.silenced": {s.Filter.Silenced}, "filter.added": {s.Filter.Added},
		"filter.itemId": {s.Filter.ItemID}, "filter.items": {s.Filter.Items},
		"filter.removed": {s.Filter.Removed}, "digest": {cmp.Or(s.Digest, "none")}, "at": {s.At}, "timezone": {s.Timezone}}
	if s.Off {
		f.Set("off", "1")
	}
	if m := s.Message; m != nil {
		f.Set("message.title", m.Title)
		f.Set("message.text", m.Text)
	}
	conditionValues(f, s.When)
	if s.Filter.MinShare > 0 {
		f.Set("filter.minShare", strconv.FormatFloat(100*s.Filter.MinShare, 'g', 4, 64))
	}
	if q := s.QuietHours; q != nil {
		f.Set("quietHours.from", q.From)
		f.Set("quietHours.to", q.To)
		f.Set("quietHours.timezone", q.Timezone)
	}
	return f
}

// ruleSpec reads a rule from its form.
func ruleSpec(f url.Values) (s api.RuleSpec, err error) {
	text := func(name string) string { return strings.TrimSpace(f.Get(name)) }
	s = api.RuleSpec{Name: text("name"), Channels: f["channels"], Digest: text("digest"), At: text("at"),
		Timezone: text("timezone")}
	s.Filter.ChangeFilter = api.ChangeFilter{Host: text("filter.host"), Tag: text("filter.tag"),
		Type: text("filter.type"), Kind: strings.Join(f["filter.kind"], ","), Q: text("filter.q"),
		Silenced: text("filter.silenced"), Zone: text("filter.zone")}
	s.Off, s.Filter.ItemID, s.Filter.Items = f.Get("off") != "", text("filter.itemId"), text("filter.items")
	if m := (api.MessageWording{Title: text("message.title"), Text: text("message.text")}); m != (api.MessageWording{}) {
		s.Message = &m
	}
	if s.When, err = conditionOf(f); err != nil {
		return s, err
	}
	s.Filter.Added, s.Filter.Removed = f.Get("filter.added"), f.Get("filter.removed")
	if share := strings.TrimSpace(strings.TrimSuffix(text("filter.minShare"), "%")); share != "" {
		percent, err := strconv.ParseFloat(share, 64)
		if err != nil || !(percent >= 0 && percent <= 100) {
			return s, wrongField("filter.minShare", "the minimum share must be a number from 0 to 100, in percent")
		}
		s.Filter.MinShare = percent / 100
	}
	if text("quietHours.from")+text("quietHours.to") != "" {
		s.QuietHours = &api.QuietHours{From: text("quietHours.from"), To: text("quietHours.to"),
			Timezone: text("quietHours.timezone")}
	}
	return s, nil
}

// wrongField returns a problem about one field, in the form of the API's problems.
func wrongField(field, detail string) *api.Problem {
	return &api.Problem{Title: "Bad Request", Status: http.StatusBadRequest, Detail: detail,
		Errors: []api.FieldError{{Field: field, Message: detail}}}
}

// saveRule previews, saves or removes a rule. A new rule has no id yet.
func (a area) saveRule(r *http.Request) (frame.Page, error) {
	f, id := r.PostForm, r.PathValue("id")
	if f.Get("do") == "remove" {
		_, err := api.RemoveRule.Call(r.Context(), a.client, api.RuleID{ID: id})
		return frame.GoTo("/notifications?done=rule-remove"), err
	}
	d := ruleData{ID: id, Form: frame.Form{Values: f}}
	spec, err := ruleSpec(f)
	if err == nil {
		switch {
		case f.Get("do") == "preview":
			var test api.RuleTest
			test, err = api.PreviewRule.Call(r.Context(), a.client, spec)
			if err == nil {
				d.Preview = &test
				return a.rulePage(r, d)
			}
		case id == "":
			_, err = api.AddRule.Call(r.Context(), a.client, spec)
		default:
			_, err = api.SaveRule.Call(r.Context(), a.client, api.RuleUpdate{ID: id, RuleSpec: spec})
		}
	}
	if problem := frame.Refusal(err); problem != nil && problem.Status != http.StatusNotFound {
		d.Form.Problem = sayThis(problem)
		return a.rulePage(r, d)
	}
	return frame.GoTo("/notifications?done=rule-save"), err
}

// kindChoices returns the kinds of change that a rule can report.
func kindChoices() []show.Choice {
	return show.Choices("content", "text changed", "beside", "text beside the main content",
		"beyond", "text beyond what is read", "bytes", "bytes without text", "new", "new page",
		"gone", "gone", "back", "back again",
		"title", "title", "images", "images", "metadata", "metadata", "reverted", "earlier text restored",
		"failing", "failing", "recovered", "recovered", "watchBroken", "watch broken",
		"watchRestored", "watch restored", "listed", "new entry of a list", "field", "a value of the page")
}

// rhythms returns the choices for how often a rule sends messages.
func rhythms() []show.Choice {
	return show.Choices("none", "immediately", "hourly", "hourly", "daily", "daily")
}
