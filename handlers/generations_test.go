package handlers

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/search"
	"github.com/tidemark/tidemark/pkg/search/sqlitesearch/generations"
)

// fakeGenerations are generations whose states change as those of a real index would, without an index. It is useless
// for anything but tests of what is shown of them.
type fakeGenerations struct {
	now  time.Time
	all  []generations.Generation
	full bool // whether the disk is
}

func newFakeGenerations(now time.Time) *fakeGenerations {
	return &fakeGenerations{now: now, all: []generations.Generation{{ID: "g1", State: generations.Current, Model: "tide-1",
		Why: "the first", By: generations.BySettings, Begun: now.Add(-time.Hour), Done: 50_000, Of: 50_000}}}
}

func (f *fakeGenerations) Current() string { return f.all[0].ID }

func (f *fakeGenerations) List(context.Context) ([]generations.Generation, error) {
	if f.all[0].State != generations.Current {
		slices.Reverse(f.all)
	}
	return f.all, nil
}

func (f *fakeGenerations) Begin(_ context.Context, model, by, why string) (generations.Generation, error) {
	switch {
	case f.full:
		return generations.Generation{}, fault.New(fault.NoRoom, "the new generation needs 790 MB, and 12 MB are free")
	case len(f.all) > 1:
		return generations.Generation{}, fault.New(fault.Conflict, "the generation g2 is there already")
	}
	f.all = append(f.all, generations.Generation{ID: "g2", State: generations.Building, Model: model, Why: why, By: by,
		Begun: f.now, Done: 1200, Of: 50_000, Until: f.now.Add(2 * time.Hour), Tokens: 21_000_000, Bytes: 790 << 20})
	return f.all[1], nil
}

func (f *fakeGenerations) Compare(_ context.Context, _ string, queries []string, top int,
) (out []generations.Compared, err error) {
	for _, q := range queries {
		found := []string{"url_a", "url_b", "url_c"}[:min(3, top)]
		out = append(out, generations.Compared{Query: q, Current: found, This: slices.Clone(found[1:])})
	}
	return out, nil
}

// become gives a generation a state, and the current one another, if the first has a certain state.
func (f *fakeGenerations) become(id string, needed, other generations.State) (generations.Generation, error) {
	at := slices.IndexFunc(f.all, func(g generations.Generation) bool { return g.ID == id })
	if f.all[at].State != needed {
		return generations.Generation{}, fault.New(fault.Conflict, "the generation %s is %s, not %s", id, f.all[at].State,
			needed)
	}
	for i := range f.all {
		f.all[i].State, f.all[i].Switched = other, f.now
	}
	f.all[at].State = generations.Current
	return f.all[at], nil
}

func (f *fakeGenerations) Switch(_ context.Context, id string) (generations.Generation, error) {
	return f.become(id, generations.Whole, generations.Previous)
}

func (f *fakeGenerations) Rollback(_ context.Context, id string) (generations.Generation, error) {
	return f.become(id, generations.Previous, generations.Whole)
}

func (f *fakeGenerations) Drop(id string) error {
	at := slices.IndexFunc(f.all, func(g generations.Generation) bool { return g.ID == id })
	if f.all[at].State == generations.Current {
		return fault.New(fault.Conflict, "the generation %s answers searches", id)
	}
	f.all = slices.Delete(f.all, at, at+1)
	return nil
}

// TestJ10Contract records a conversation about the generations of the index (testdata/generations.golden).
func TestJ10Contract(t *testing.T) {
	r := newRig(t)
	fake := newFakeGenerations(r.now)
	r.v.Generations, r.v.Model = fake, "tide-1"
	var log strings.Builder
	for _, step := range []struct{ name, method, path, body string }{
		{"J10 the only one", "GET", "/api/generations", ""},
		{"J10 another model", "POST", "/api/generations", `{"model":"tide-2"}`},
		{"J10 one at a time", "POST", "/api/generations", ""},
		{"J10 how far it is", "GET", "/api/generations/g2", ""},
		{"J10 the status meanwhile", "GET", "/api/SearchStatus", ""},
		{"J10 health meanwhile", "GET", "/api/health", ""},
		{"J10 switch too early", "POST", "/api/generations/g2/switch", ""},
		{"it becomes whole", "", "", ""},
		{"J10 two of them", "GET", "/api/generations", ""},
		{"J10 compare", "POST", "/api/generations/g2/compare", `{"queries":["high tide","where is the crane?"],"top":2}`},
		{"J10 switch", "POST", "/api/generations/g2/switch", ""},
		{"J10 the former one", "GET", "/api/generations/g1", ""},
		{"J10 roll back", "POST", "/api/generations/g1/rollback", ""},
		{"J10 the current one stays", "DELETE", "/api/generations/g1", ""},
		{"J10 remove", "DELETE", "/api/generations/g2", ""},
		{"J10 no such generation", "GET", "/api/generations/g2", ""},
		{"the disk fills up", "", "", ""},
		{"J10 no room", "POST", "/api/generations", `{"model":""}`},
	} {
		switch {
		case step.method != "":
			w := do(t, r, step.method, step.path, step.body)
			fmt.Fprintf(&log, "=== %s\n%s %s\n%s\n%s", step.name, step.method, step.path, step.body, answerOf(t, w))
		case len(fake.all) > 1:
			g := &fake.all[1]
			g.State, g.Done, g.Of, g.Until = generations.Whole, 50_010, 50_010, time.Time{}
		default:
			fake.full = true
		}
	}
	golden(t, "generations.golden", log.String())
}

// TestJ10Requests checks that a wrong request is refused with the field, and that it needs an index with generations.
func TestJ10Requests(t *testing.T) {
	bare, r := newRig(t), newRig(t)
	r.v.Generations = newFakeGenerations(r.now)
	many := `{"queries":["` + strings.Repeat(`a","`, api.MaxCompared) + `a"]}`
	for _, tt := range []struct {
		name, method, path, body string
		status                   int
		detail                   string
	}{
		{"an index that is filled in place", "GET", "", "", 409, "filled in place"},
		{"which cannot be built beside", "POST", "", "", 409, "filled in place"},
		{"and has nothing to remove", "DELETE", "/g1", "", 409, "filled in place"},
		{"no questions", "POST", "/g1/compare", `{"queries":[]}`, 400, "there are 0 questions: give 1 to 50"},
		{"too many", "POST", "/g1/compare", many, 400, "there are 51 questions: give 1 to 50"},
		{"an empty one", "POST", "/g1/compare", `{"queries":[" "]}`, 400, "a question is empty"},
		{"too many results", "POST", "/g1/compare", `{"queries":["a"],"top":101}`, 400, "top"},
		{"spaces", "POST", "", `{"model":"a "}`, 400, "space"},
		{"unknown", "POST", "/g7/switch", "", 404, `no generation "g7"`},
		{"unknown, to be removed", "DELETE", "/g7", "", 404, `no generation "g7"`},
	} {
		of := r
		if tt.status == http.StatusConflict {
			of = bare
		}
		w := do(t, of, tt.method, "/api/generations"+tt.path, tt.body)
		if p := problemOf(t, w); w.Code != tt.status || !strings.Contains(p.Detail, tt.detail) {
			t.Errorf("%s: %d %q", tt.name, w.Code, p.Detail)
		}
	}
}

// TestJ10TroubleIsSaid checks that health and its readers learn that the building does not go on, but not why.
func TestJ10TroubleIsSaid(t *testing.T) {
	r := newRig(t)
	fake := newFakeGenerations(r.now)
	r.v.Generations = fake
	_, err := fake.Begin(t.Context(), "tide-2", generations.ByPerson, "")
	must(t, err)
	fake.all[1].Trouble = "the model answers 401"
	var h api.Health
	must(t, json.Unmarshal(do(t, r, "GET", "/api/health", "").Body.Bytes(), &h))
	said := strings.Join(h.Warnings, "\n")
	if h.Status != api.HealthDegraded || !strings.Contains(said, "g2 does not go on") || strings.Contains(said, "401") {
		t.Errorf("%+v", h)
	}
	var g api.Generation
	must(t, json.Unmarshal(do(t, r, "GET", "/api/generations/g2", "").Body.Bytes(), &g))
	says(t, do(t, r, "GET", "/api/ui/machine", ""), http.StatusOK, "The next generation of the index",
		"g2: 1,200 of 50,000, ready about", "answered by g1")
	if g.Trouble != "the model answers 401" {
		t.Errorf("%+v", g)
	}
}

// namedIndex is an index whose answers bear a name.
type namedIndex struct{ search.Index }

func (x namedIndex) Search(ctx context.Context, q search.Query) (search.Results, error) {
	out, err := x.Index.Search(ctx, q)
	out.Index = "g1"
	return out, err
}

// TestJ10AnswersNameTheIndex checks that the answers to searches and questions, also those of MCP, and completions name
// the index that they are from.
func TestJ10AnswersNameTheIndex(t *testing.T) {
	r := newRig(t)
	r.v.Index, r.v.Generations = namedIndex{r.v.Index}, newFakeGenerations(r.now)
	for path, body := range map[string]string{"Search": `{"q":"tide"}`, "retrieve": `{"queries":["tide","crane"]}`,
		"suggest?q=ti": ""} {
		var answer struct{ Generation string }
		method := "POST"
		if body == "" {
			method = "GET"
		}
		w := do(t, r, method, "/api/"+path, body)
		must(t, json.Unmarshal(w.Body.Bytes(), &answer))
		if answer.Generation != "g1" {
			t.Errorf("%s: %d %s", path, w.Code, w.Body)
		}
	}
	s := connect(t, r, "")
	for tool, arguments := range map[string]string{"search": `{"query":"tide"}`, "retrieve": `{"question":"tide"}`} {
		res, err := s.CallTool(t.Context(), &mcp.CallToolParams{Name: tool, Arguments: json.RawMessage(arguments)})
		if err != nil || res.Meta["tidemark/generation"] != "g1" {
			t.Errorf("%s: %+v, %v", tool, res, err)
		}
	}
}
