package feed

import (
	"cmp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/content/field"
)

// TestW1Filter checks the one filter by which the API, feeds and rules decide (W1, W5).
func TestW1Filter(t *testing.T) {
	at := time.Date(2026, 11, 23, 12, 0, 0, 0, time.UTC)
	c := Change{At: at, Kind: Content, Type: "url", Host: "port.example", Title: "Costs", Share: 0.25,
		Tags: []string{"fees", "port"},
		URL:  "https://port.example/costs", Passages: []Passage{{Text: "The fee is 30 euros.", Op: Added}}}
	for name, tt := range map[string]struct {
		filter api.ChangeFilter
		of     Kind          // "" for content
		from   time.Duration // of the change's time
		until  time.Duration
		want   bool
	}{
		"everything":                   {want: true},
		"silenced, too":                {filter: api.ChangeFilter{Silenced: "true"}, want: true},
		"silenced alone":               {filter: api.ChangeFilter{Silenced: "only"}},
		"its host":                     {filter: api.ChangeFilter{Host: "PORT.example"}, want: true},
		"another host":                 {filter: api.ChangeFilter{Host: "a.example"}},
		"another type":                 {filter: api.ChangeFilter{Type: "file"}},
		"content, of beside":           {filter: api.ChangeFilter{Kind: "content"}, of: Beside, want: true},
		"content, of beyond":           {filter: api.ChangeFilter{Kind: "content"}, of: Beyond, want: true},
		"content, of reverted":         {filter: api.ChangeFilter{Kind: "content"}, of: Reverted, want: true},
		"main content, of beside":      {filter: api.ChangeFilter{Kind: "content", Zone: "main"}, of: Beside},
		"any kind in main, of beyond":  {filter: api.ChangeFilter{Zone: "main"}, of: Beyond},
		"any kind in main, of content": {filter: api.ChangeFilter{Zone: "main"}, want: true},
		"beside alone":                 {filter: api.ChangeFilter{Kind: "beside"}},
		"its kind":                     {filter: api.ChangeFilter{Kind: "gone, content"}, want: true},
		"another kind":                 {filter: api.ChangeFilter{Kind: "gone"}},
		"its tag":                      {filter: api.ChangeFilter{Tag: " Port"}, want: true},
		"another tag":                  {filter: api.ChangeFilter{Tag: "por"}},
		"enough":                       {filter: api.ChangeFilter{MinShare: 0.25}, want: true},
		"too little":                   {filter: api.ChangeFilter{MinShare: 0.26}},
		"words":                        {filter: api.ChangeFilter{Q: "COSTS euros"}, want: true},
		"one word too many":            {filter: api.ChangeFilter{Q: "costs dollars"}},
		"from its time on":             {from: 0, until: time.Hour, want: true},
		"after it":                     {from: time.Second, until: time.Hour},
		"up to it":                     {from: -time.Hour, until: 0},
	} {
		f, err := NewFilter(tt.filter)
		must(t, err)
		if tt.from != tt.until {
			f = f.During(at.Add(tt.from), at.Add(tt.until))
		}
		c := c
		c.Kind = cmp.Or(tt.of, c.Kind)
		if got := f.Wants(c); got != tt.want {
			t.Errorf("%s: %t", name, got)
		}
	}
	for field, q := range map[string]api.ChangeFilter{"type": {Type: "page"}, "kind": {Kind: "new,novel"},
		"tag": {Tag: "a/b"}, "minShare": {MinShare: 2}, "zone": {Zone: "beside"}, "small": {Small: "all"}} {
		if _, err := NewFilter(q); fault.FieldOf(err) != field {
			t.Errorf("%s: %v", field, err)
		}
	}
}

// TestValuesInOtherChanges checks that who asks for changes of values gets also those of a text in which a told value
// changed, and no first values and none that nobody asked for (G2).
func TestValuesInOtherChanges(t *testing.T) {
	f, err := NewFilter(api.ChangeFilter{Kind: "field"})
	must(t, err)
	for name, tt := range map[string]struct {
		value field.Change
		want  bool
	}{
		"told":  {field.Change{Reported: true}, true},
		"first": {field.Change{Reported: true, First: true}, false},
		"same":  {field.Change{Reported: true, Same: true}, false},
		"kept":  {field.Change{}, false},
	} {
		if got := f.Wants(Change{Kind: Content, Fields: []field.Change{tt.value}}); got != tt.want {
			t.Errorf("%s: %t", name, got)
		}
	}
}

// TestQ3SmallChanges checks which filters take changes in which nothing is told by default (Q3).
func TestQ3SmallChanges(t *testing.T) {
	changes := map[string]Change{
		"told":     {Kind: Content},
		"fact":     {Kind: Beside},
		"beside":   {Kind: Beside, Small: &Small{Why: SmallBeside}},
		"reverted": {Kind: Reverted, Small: &Small{Why: SmallBeside}},
		"moves":    {Kind: Content, Small: &Small{Why: SmallMoves}},
	}
	for _, tt := range []struct {
		filter api.ChangeFilter
		want   string
	}{
		{api.ChangeFilter{}, "fact told"},
		{api.ChangeFilter{Kind: "content"}, "fact told"},
		{api.ChangeFilter{Zone: "facts"}, "fact told"},
		{api.ChangeFilter{Zone: "main"}, "told"},
		{api.ChangeFilter{Zone: "all"}, "beside fact reverted told"},
		{api.ChangeFilter{Zone: "facts", Small: "true"}, "fact moves told"},
		{api.ChangeFilter{Small: "true"}, "beside fact moves reverted told"},
		{api.ChangeFilter{Small: "only"}, "beside moves reverted"},
		{api.ChangeFilter{Small: "only", Zone: "facts"}, "moves"},
		{api.ChangeFilter{Kind: "content,beside"}, "beside fact told"},
		{api.ChangeFilter{Kind: "content,beside", Zone: "facts"}, "fact told"},
		{api.ChangeQuery{}.Filter(), "beside fact moves reverted told"},
		{api.ChangeQuery{Small: "false"}.Filter(), "beside fact reverted told"},
	} {
		f, err := NewFilter(tt.filter)
		must(t, err)
		var have []string
		for name, c := range changes {
			if f.Wants(c) {
				have = append(have, name)
			}
		}
		slices.Sort(have)
		if got := strings.Join(have, " "); got != tt.want {
			t.Errorf("%+v takes %s, want %s", tt.filter, got, tt.want)
		}
	}
}

// TestW2MembershipByName checks that lists have the changes that say which pages are there, and that rules and default
// filters have them only by name.
func TestW2MembershipByName(t *testing.T) {
	c := Change{Kind: ItemLeft, Small: &Small{Why: SmallIndex}}
	for _, tt := range []struct {
		query      api.ChangeFilter
		list, rule bool
	}{
		{api.ChangeFilter{}, false, false},
		{api.ChangeFilter{Zone: api.ZoneAll, Small: "true"}, true, false},
		{api.ChangeFilter{Kind: "content", Zone: api.ZoneAll, Small: "true"}, false, false},
		{api.ChangeFilter{Kind: "left"}, true, true},
		{api.ChangeFilter{Kind: "left", Zone: api.ZoneMain, Small: "true"}, true, true},
	} {
		f, err := NewFilter(tt.query)
		if err != nil {
			t.Fatal(err)
		}
		if list, rule := f.Wants(c), f.ForRule().Wants(c); list != tt.list || rule != tt.rule {
			t.Errorf("%+v: in a list %t, by a rule %t", tt.query, list, rule)
		}
	}
}
