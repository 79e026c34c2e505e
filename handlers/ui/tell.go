package ui

import (
	"cmp"
	"maps"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/base/words"
	"github.com/tidemark/tidemark/pkg/form"
)

// This file is the dialogue in which a person says of what they want to be told, to whom, and how often.
//
// A request to read an address registers it, because only a registered page is read; so that is a form. The page is a
// draft until the dialogue is confirmed: cancelling removes it, and if somebody leaves otherwise, it goes by itself.
// The query of the dialogue's address says of which pages it is. All else is in its form.

// A tellScope says of which pages the dialogue is, and what of More is open.
type tellScope struct {
	Item, Tag, Search, Rule string
	All                     bool
	New                     bool   // the dialogue has registered the page: cancelling removes it
	Known                   bool   // the page was watched before
	More                    string // alert, page or schedule
}

func tellScopeOf(q url.Values) tellScope {
	s := tellScope{Item: q.Get("item"), Tag: q.Get("tag"), Search: q.Get("q"), Rule: q.Get("rule"), More: q.Get("more"),
		All: q.Get("all") != "", New: q.Get("new") != "", Known: q.Get("known") != ""}
	if s.Search != "" && !strings.Contains(s.Search, "=") { // words that somebody searched for
		s.Search = params("find", s.Search).Encode()
	}
	if tag, only := strings.CutPrefix(s.Search, "tag="); only && s.Tag == "" && !strings.Contains(tag, "&") {
		s.Tag, s.Search = tag, ""
	}
	return s
}

// scopeOf reads the scope of a request: it may also be in a form.
func scopeOf(r *http.Request) tellScope {
	if r.Form != nil {
		return tellScopeOf(r.Form)
	}
	return tellScopeOf(r.URL.Query())
}

// Some reports whether the dialogue is of any pages.
func (s tellScope) Some() bool { return s.All || s.Item+s.Tag+s.Search+s.Rule != "" }

// Path returns the address of the dialogue, below Root.
func (s tellScope) Path() string {
	return linkTo("/tell", params("item", s.Item, "tag", s.Tag, "q", s.Search, "rule", s.Rule, "more", s.More,
		"all", choose(s.All, "1", ""), "new", choose(s.New, "1", ""), "known", choose(s.Known, "1", "")))
}

// At returns the address of the dialogue with that part of More open.
func (s tellScope) At(more string) string {
	s.More = more
	return Root + s.Path()
}

type tellData struct {
	Of        tellScope
	URL       string         // that was typed, while no page is read
	Item      api.ItemDetail // of a dialogue about one page
	Gone      bool           // the page is not watched any more
	Text      string         // the beginning of the page
	Rule      api.Rule       // that is changed
	Keeps     bool           // it asks for what the choices cannot say
	Channels  []api.Channel
	NoSecrets string // why typed secrets cannot be stored
	Home      string // where messages could lead back to, if there is no channel yet and nobody has confirmed an address
	Offers    []api.PageOffer
	Already   []alertLine // what the page has alerts for, apart from that which is changed
	Form      Form
	Page      settingsForm // the settings of the page, if More of it is open
	Wish      wish
	Every     string // how often pages are checked for it
	Preview   *api.RuleTest
	Spark     spark            // the past of a value that is chosen
	Refused   []api.CannotFire // why the alert was not saved
	Answer    *api.ReceiverAnswer
}

// Waits reports whether the page has not been read yet.
func (d tellData) Waits() bool {
	return d.Item.ID != "" && d.Item.Status == api.StatusPending && d.Item.LastChecked.IsZero()
}

// Ready reports whether there is a channel to choose.
func (d tellData) Ready() bool { return len(d.Channels) > 0 }

// Cost says what the checks cost a site.
func (d tellData) Cost() string { return form.Cost(d.Every) }

// Name returns the name that an alert gets if nobody types one.
func (d tellData) Name() string {
	name := "All pages"
	switch {
	case d.Item.ID != "":
		name = itemTitle(d.Item.Item)
	case d.Of.Tag != "":
		name = "Pages with the tag " + d.Of.Tag
	case d.Of.Search != "":
		name = searchWords(d.Of.Search)
	}
	return words.ClipRunes(strings.TrimSpace(name), mostName)
}

// mostName is how many characters the name of a rule may have.
const mostName = 100

// Of a kind returns the offers of these kinds.
func (d tellData) OfKind(kinds ...api.OfferKind) (out []api.PageOffer) {
	for _, o := range d.Offers {
		if slices.Contains(kinds, o.Kind) {
			out = append(out, o)
		}
	}
	return out
}

// Values returns the numbers and other values that the page offers: the first three, and that which is chosen.
func (d tellData) Values() (out []api.PageOffer) {
	for _, o := range d.OfKind(api.OfferPrice, api.OfferNumber, api.OfferPart) {
		if o.When != nil && (len(out) < 3 || d.Form.Get("value") == o.When.Field) {
			out = append(out, o)
		}
	}
	return out
}

// tell shows the dialogue, or the field for an address.
func (v *visit) tell() page {
	q := v.URL.Query()
	if of := tellScopeOf(q); !of.Some() {
		return tellPage(tellData{URL: cmp.Or(strings.TrimSpace(q.Get("url")), address(q.Get("text")))})
	}
	d := v.telling()
	if d.Of.More == "page" || d.Of.More == "schedule" {
		return v.settingsPage(d, nil, nil)
	}
	v.fail(d.begin(q))
	return v.previewed(d)
}

func tellPage(d tellData) page {
	p := page{Name: "tell", Title: "Tell me when…", Data: d, Body: "acting", Refused: d.Form.Problem}
	switch {
	case !d.Of.Some():
		p.Title, p.Body = "Watch a page", ""
	case d.Of.Rule != "":
		p.Title = "Change an alert"
	case d.Of.New:
		p.Title = "Watch a page"
	}
	return p
}

// telling reads what the dialogue is about.
func (v *visit) telling() (d tellData) {
	d.Of = scopeOf(v.Request)
	if d.Of.Rule != "" {
		d.Rule = ask(v, api.GetRule, api.RuleID{ID: d.Of.Rule})
		d.Of.Item, d.Of.Tag, d.Of.Search = d.Rule.Filter.ItemID, d.Rule.Filter.Tag, d.Rule.Filter.Items
	}
	if d.Of.Item != "" {
		v.read(&d)
		d.Gone = d.Of.Rule != "" && v.missing()
		told := ask(v, api.ListRules, api.RuleQuery{ItemID: d.Of.Item, Brief: true, Top: rulesShown}).Rules
		told = slices.DeleteFunc(told, func(r api.Rule) bool { return r.ID == d.Of.Rule || r.Filter.ItemID == "" })
		d.Already = alertLines(told, effectiveWatch(d.Item).Include)
		d.offerRead(cmp.Or(v.PostForm.Get("value"), v.URL.Query().Get("value")))
	} else {
		d.Offers = []api.PageOffer{{Kind: api.OfferPrice, Name: "price", When: &api.Condition{Field: "price"}},
			{Kind: api.OfferStock, Name: "availability", When: inStock("availability")}, {Kind: api.OfferList, Name: "list"}}
	}
	if d.Of.Rule != "" {
		_, simple := d.chosen(d.Rule.RuleSpec)
		d.Keeps = !simple
	}
	all := ask(v, api.ListChannels, api.None{})
	d.Channels, d.NoSecrets = all.Channels, all.NoSecrets
	if !d.Ready() && ask(v, api.GetPublicAddress, api.None{}).URL == "" {
		d.Home = v.seenAt()
	}
	return d
}

// offerRead offers the chosen value of the page, if it is read but is not one of the offers.
func (d *tellData) offerRead(name string) {
	f, isRead := d.Item.Fields[name]
	if isRead && d.offer(func(o api.PageOffer) bool { return o.When != nil && o.When.Field == name }) == nil {
		when := &api.Condition{Field: name}
		d.Offers = append(d.Offers, api.PageOffer{Kind: api.OfferPart, Name: name, Text: f.Text, When: when})
	}
}

// How long the dialogue waits for the first reading of a page, and how often it looks.
const (
	patience = 8 * time.Second
	glance   = 200 * time.Millisecond
)

// read reads the page, and what it offers. The first reading of a new page is waited for.
func (v *visit) read(d *tellData) {
	for until := time.Now().Add(patience); ; {
		d.Item = ask(v, api.GetItem, api.ItemID{ID: d.Of.Item})
		if v.err != nil || !d.Of.New || !d.Waits() || time.Now().After(until) {
			break
		}
		select {
		case <-v.Context().Done():
			v.fail(v.Context().Err())
		case <-time.After(glance):
		}
	}
	if len(d.Item.Captures) == 0 {
		return
	}
	text := ask(v, api.GetPageText, api.TextQuery{ID: d.Item.ID, Format: "json", Zone: api.ZoneMain})
	d.Text = beginning(text.Text, d.Item.Title)
	v.refused()
	d.Offers = ask(v, api.ListOffers, api.ItemID{ID: d.Item.ID}).Offers
	v.refused() // a file, for example, offers nothing
}

var marks = regexp.MustCompile(`[#*|\x60]+|-{3,}`)

// beginning returns the first words of a text in Markdown, without its title, for a glance.
func beginning(text, title string) string {
	const most = 240
	var parts []string
	for _, part := range strings.Split(text, "\n\n") {
		part = strings.Join(strings.Fields(marks.ReplaceAllString(part, " ")), " ")
		if part != "" && (part != title || len(parts) > 0) {
			parts = append(parts, part)
		}
	}
	text = strings.Join(parts, " · ")
	if cut := words.ClipRunes(text, most); cut != text {
		return cut + " …"
	}
	return text
}

// Pastless reports whether a page has been read for a day at most and has not changed, so that nothing is known of what
// it would have told.
func (d tellData) Pastless(now time.Time) bool {
	return d.Item.ID != "" && d.Preview != nil && now.Sub(d.Item.FirstSeen) < 24*time.Hour &&
		!slices.ContainsFunc(d.Preview.Changes, func(c api.FeedChange) bool { return c.Kind != api.ChangeNew })
}

// shownFirst are the inputs of an alert that the dialogue has without More, and "tags" of its page.
var shownFirst = []string{"name", "timezone", "quietHours.from", "quietHours.to"}

// chosenInputs are the inputs that the choices of the dialogue have.
var chosenInputs = []string{"what", "value", "op", "limit", "list", "word", "goes", "check", "send"}

// begin fills the form in: with the alert as it is, or with what the address gives.
func (d *tellData) begin(given url.Values) error {
	d.Form = newForm(d.Rule.RuleSpec)
	delete(d.Form.Was, "filter.itemId")
	spec := d.Rule.RuleSpec
	if d.Of.Rule == "" {
		with, err := withCondition(given)
		if err == nil {
			err = readInto(with, &spec)
		}
		if d.Form.Values = form.Inputs(spec); err != nil { // the whole form shows what was given
			d.Of.More = "alert"
			maps.Copy(d.Form.Values, given)
		}
		d.Form.Set("name", words.ClipRunes(given.Get("name"), mostName))
	}
	conditionValues(d.Form.Values, spec.When)
	f, ok := d.chosen(spec)
	switch {
	case d.Of.More == "alert":
		d.Form.Set("filter.tag", cmp.Or(d.Of.Tag, d.Form.Get("filter.tag")))
		d.Form.Set("filter.items", cmp.Or(d.Of.Search, d.Form.Get("filter.items")))
		d.Form.Set("every", cmp.Or(spec.Every, d.proposed(spec)))
		return nil
	case !ok && d.Of.Rule == "":
		d.Of.More = "alert"
		return d.begin(given)
	case !ok:
		f = url.Values{"what": {toldKept}}
	}
	if f.Get("what") == toldAny && len(effectiveWatch(d.Item).Include) > 0 {
		f.Set("what", toldPart)
	}
	maps.Copy(d.Form.Values, f)
	d.first(spec)
	for _, name := range chosenInputs {
		if given.Has(name) {
			d.Form.Values[name] = given[name]
		}
	}
	return nil
}

// first limits the form to what the dialogue has without More.
func (d *tellData) first(spec api.RuleSpec) {
	maps.DeleteFunc(d.Form.Was, func(path string, _ []string) bool { return !slices.Contains(shownFirst, path) })
	if d.Item.ID != "" && d.Of.Rule == "" {
		d.Form.Was["tags"] = form.Inputs(api.ItemSettings{Tags: d.Item.Tags})["tags"]
		d.Form.Values["tags"] = d.Form.Was["tags"]
	}
	check := spec.Every
	if d.Of.Rule != "" && check == "" || d.Of.All {
		check = asSet
	}
	d.Form.Set("check", check)
	d.Form.Set("send", cmp.Or(spec.Digest, "none"))
	if values := d.Values(); d.Form.Get("value") == "" && len(values) > 0 {
		d.Form.Set("value", values[0].When.Field)
	}
}

// usual selects the channels of a new alert: those of the alert that was made last, or else the only one that was made
// here, or that there is.
func (v *visit) usual(d *tellData) {
	if d.Of.Rule != "" || d.Form.Get("channels") != "" || !d.Ready() {
		return
	}
	var last api.Rule
	for _, rule := range ask(v, api.ListRules, api.RuleQuery{Brief: true}).Rules {
		if rule.Origin != "file" && rule.Created.After(last.Created) {
			last = rule
		}
	}
	made := slices.DeleteFunc(slices.Clone(d.Channels), func(c api.Channel) bool { return c.Origin == "file" })
	for _, some := range [][]api.Channel{made, d.Channels} {
		if len(last.Channels) == 0 && len(some) == 1 {
			last.Channels = []string{some[0].Name}
		}
	}
	d.Form.Values["channels"] = last.Channels
}

// proposed returns how often pages should be checked for a new alert; "" if it is for all pages.
func (d *tellData) proposed(spec api.RuleSpec) string {
	if d.Of.Rule != "" || d.Of.Item+d.Of.Tag+d.Of.Search == "" {
		return ""
	}
	return form.ProposedEvery(spec, d.Item.Watch)
}

// typed takes over what a person typed.
func (d *tellData) typed(f url.Values) {
	d.Form = newForm(d.Rule.RuleSpec).Typed(f, nil)
	if name := f.Get("value"); name != "" && d.Of.More == "" {
		d.chosenValue(api.Condition{Field: name, Op: "fromTo"}) // offers it, if it was given by the address
	}
}

// wanted returns the changes of the alert that the form asks for.
func (d *tellData) wanted(f url.Values) (api.Patch, error) {
	f = maps.Clone(f)
	f.Set("name", cmp.Or(strings.TrimSpace(f.Get("name")), d.Name()))
	if d.Of.More == "alert" {
		p, err := ruleChanges(f)
		d.Every = strings.TrimSpace(f.Get("every"))
		return d.here(p), err
	}
	var err error
	if d.Wish, err = d.wish(f); err != nil {
		d.Every = cmp.Or(f.Get("check"), d.Wish.Every)
		return nil, err
	}
	digest, quiet := f.Get("send"), strings.TrimSpace(f.Get("quietHours.from")+f.Get("quietHours.to"))
	if d.Of.Rule == "" && quiet == "" && (digest == "none" || digest == "hourly") {
		f.Del("timezone") // the browser fills it in
	}
	p, err := changesOf[api.RuleSpec](f)
	if err != nil {
		return nil, err
	}
	maps.Copy(p, d.Wish.patch())
	if channels := words.Parts(strings.Join(f["channels"], ","), ","); len(channels) > 0 || d.Of.Rule != "" {
		p["channels"] = channels
	}
	d.sent(p, digest)
	spec := d.Rule.RuleSpec
	if err := p.Apply(&spec); err != nil {
		return nil, err
	}
	switch d.Every = f.Get("check"); d.Every {
	case asSet:
		d.Every = ""
	case "":
		d.Every = cmp.Or(d.Wish.Every, form.ProposedEvery(spec, d.Item.Watch))
	}
	if p["every"] = nil; d.Every != "" {
		p["every"] = d.Every
	}
	return d.here(p), nil
}

// sent sets when messages are sent, if that differs from what the alert says.
func (d *tellData) sent(p api.Patch, digest string) {
	if digest == "" || digest == cmp.Or(d.Rule.Digest, "none") {
		return
	}
	p["digest"], p["at"], p["on"] = digest, nil, nil
	if digest == "daily" || digest == "weekly" {
		p["at"] = "07:30"
	}
}

// here adds the pages of a new alert.
func (d *tellData) here(p api.Patch) api.Patch {
	if p != nil && d.Of.Rule == "" {
		for name, value := range map[string]string{"itemId": d.Of.Item, "tag": d.Of.Tag, "items": d.Of.Search} {
			if value != "" && (name == "itemId" || d.Of.More == "") {
				p.Set(value, "filter", name)
			}
		}
	}
	return p
}

// previewed shows the dialogue with what it would have told.
func (v *visit) previewed(d tellData) page {
	if v.usual(&d); v.err != nil {
		return page{}
	}
	f := maps.Clone(d.Form.Values)
	f.Set(was, d.Form.Was.Encode())
	patch := v.valid(d.wanted(f))
	if v.err == nil && !d.Waits() {
		if test := v.tried(d.Of.Rule, patch); v.err == nil {
			d.Preview = &test
			v.drawn(&d)
		}
	}
	if problem := v.refused(); problem != nil && v.Method == http.MethodPost {
		d.Form.Problem = problem
	}
	return tellPage(d)
}

// drawn draws the last 30 days of the value that is chosen, with the limit.
func (v *visit) drawn(d *tellData) {
	if d.Wish.When == nil || d.Item.Fields[d.Wish.When.Field].State != "value" {
		return
	}
	name := d.Wish.When.Field
	past := ask(v, api.GetField, api.FieldQuery{ID: d.Item.ID, Name: name})
	now := v.clock().UTC()
	entries := past.Entries
	for len(entries) > 1 && now.Sub(entries[1].At) > tried {
		entries = entries[1:]
	}
	d.Spark = sparkOf(name, d.Item.Fields[name].Type, entries, now)
	number, _, _ := strings.Cut(string(d.Wish.When.Value), " ")
	if level, err := strconv.ParseFloat(number, 64); err == nil && d.Wish.When.Op != "changedBy" {
		d.Spark.Level = &level
	}
}

// Unread reports whether the past of what is chosen is not known: it is read from the first check on.
func (d tellData) Unread() bool {
	return d.Wish.Watch != nil && (d.Wish.When == nil || d.Item.Fields[d.Wish.When.Field].State != "value")
}

// Kept says what an alert asks for that the choices cannot say.
func (d tellData) Kept() string { return alertAsks(d.Rule.RuleSpec) }

// told does what a person asks for in the dialogue.
func (v *visit) told() page {
	f := v.PostForm
	switch do := f.Get("do"); do {
	case "read":
		return v.readAddress()
	case "cancel":
		return v.cancel()
	case "browser":
		return v.readInBrowser()
	}
	d := v.telling()
	if d.Of.More == "page" || d.Of.More == "schedule" {
		return v.saveSettings(d)
	}
	if proposal, given := strings.CutPrefix(f.Get("do"), "propose "); given {
		op, limit, _ := strings.Cut(proposal, " ")
		f.Set("op", op)
		f.Set("limit", limit)
		f.Set("do", "preview")
	}
	if d.typed(f); f.Get("do") == "preview" {
		return v.previewed(d)
	}
	return v.keep(d)
}

// readAddress registers an address, and leads to the dialogue about it. Another page that this dialogue has registered
// is removed.
func (v *visit) readAddress() page {
	typed := strings.TrimSpace(v.PostForm.Get("url"))
	if isPath(typed) {
		return goTo(linkTo("/add", url.Values{"url": {typed}}))
	}
	it := ask(v, api.AddURL, api.AddURLRequest{URL: typed, GuessScheme: true, Draft: true})
	if problem := v.refused(); problem != nil {
		d := tellData{URL: typed}
		d.Form.Problem = problem
		return tellPage(d)
	}
	was := scopeOf(v.Request)
	of := tellScope{Item: it.ID, New: !it.DraftUntil.IsZero(), Known: it.DraftUntil.IsZero()}
	if was.New && was.Item != it.ID {
		v.forget(was.Item)
	}
	return goTo(of.Path())
}

// readInBrowser has the page of the dialogue read again, in a browser, and waits for that. A draft stays one.
func (v *visit) readInBrowser() page {
	of := scopeOf(v.Request)
	it := ask(v, api.GetItem, api.ItemID{ID: of.Item})
	req := api.AddURLRequest{URL: it.NormalizedSource, Draft: true, Force: true}
	req.Render = "always"
	ask(v, api.AddURL, req)
	for until := time.Now().Add(patience); v.err == nil && v.Context().Err() == nil && time.Now().Before(until); {
		time.Sleep(glance)
		if ask(v, api.GetItem, api.ItemID{ID: it.ID}).LastChecked.After(it.LastChecked) {
			break
		}
	}
	return goTo(of.Path())
}

// cancel leaves the dialogue. A page that it has registered does not stay.
func (v *visit) cancel() page {
	of := scopeOf(v.Request)
	if !of.New || of.Item == "" {
		return goTo("/items")
	}
	undo := v.forget(of.Item)
	return goTo(withUndo("/items?done=cancelled", undo))
}

// forget removes a page that was only looked at: nobody has given it an alert or a setting.
func (v *visit) forget(id string) *api.Undo {
	it := ask(v, api.GetItem, api.ItemID{ID: id})
	if it.DraftUntil.IsZero() {
		return nil
	}
	return ask(v, api.RemoveItem, api.ItemID{ID: id}).Undo
}
