package azureaisearch

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/search/searchtest/aisearch"
)

func ops(server *aisearch.Server) (ops []string) {
	for _, r := range server.Requests() {
		ops = append(ops, r.Op)
	}
	return ops
}

// TestCreate checks that an index is created once, keeps its documents, and gets missing fields.
func TestCreate(t *testing.T) {
	server := aisearch.New(t)
	plain, vectors := open(t, server, 0), open(t, server, 3)
	must(t, plain.Create(t.Context()))
	must(t, plain.Put(t.Context(), page("a", "one")))
	server.Requests()
	must(t, plain.Create(t.Context()))
	if have := ops(server); !slices.Equal(have, []string{"get"}) {
		t.Errorf("an index that is right: %v", have)
	}
	must(t, vectors.Create(t.Context()))
	must(t, vectors.Create(t.Context()))
	if have := ops(server); !slices.Equal(have, []string{"get", "put", "get"}) {
		t.Errorf("an index without vectors: %v", have)
	}
	must(t, plain.Create(t.Context())) // superfluous fields do no harm
	checkHolds(t, server, page("a", "one"))
	if err := open(t, server, 4).Create(t.Context()); fault.FieldOf(err) != "index" {
		t.Errorf("vectors of another length: have %v", err)
	}
}

// TestCompareAnalyzers checks that the service may change the case of an analyzer's name.
func TestCompareAnalyzers(t *testing.T) {
	ix := open(t, aisearch.New(t), 0)
	var have map[string]json.RawMessage
	must(t, json.Unmarshal([]byte(strings.ReplaceAll(string(encode(ix.definition())), "pt-PT.lucene",
		"pt-Pt.lucene")), &have))
	if missing, err := ix.compare(have); err != nil || len(missing) > 0 {
		t.Errorf("missing %v, %v", missing, err)
	}
	must(t, json.Unmarshal([]byte(strings.ReplaceAll(string(encode(ix.definition())), "pt-PT.lucene",
		"pt-BR.lucene")), &have))
	if _, err := ix.compare(have); fault.FieldOf(err) != "index" {
		t.Errorf("another analyzer: %v", err)
	}
}

func TestCreateTogether(t *testing.T) {
	server := aisearch.New(t)
	var group sync.WaitGroup
	for range 8 {
		group.Go(func() {
			if err := open(t, server, 3).Create(t.Context()); err != nil {
				t.Error(err)
			}
		})
	}
	group.Wait()
}

// TestCreateLeavesOthersAlone checks that an index of another program is not changed.
func TestCreateLeavesOthersAlone(t *testing.T) {
	server := aisearch.New(t)
	ix := open(t, server, 0)
	theirs := `{"name":"pages","fields":[{"name":"id","type":"Edm.String","key":true,"retrievable":true}]}`
	_, err := ix.service.call(t.Context(), request{method: http.MethodPut, body: []byte(theirs)}, nil)
	must(t, err)
	server.Requests()
	err = ix.Create(t.Context())
	if fault.FieldOf(err) != "index" || !strings.Contains(err.Error(), "another program") {
		t.Errorf("have %v", err)
	}
	if have := ops(server); !slices.Equal(have, []string{"get"}) {
		t.Errorf("asked %v", have)
	}
}

// TestFieldsFit checks the limit of the smallest tier, a hundred fields
// (https://learn.microsoft.com/azure/search/search-limits-quotas-capacity#index-limits).
func TestFieldsFit(t *testing.T) {
	if n := len(fields(3)); n > 50 {
		t.Errorf("%d fields", n)
	}
}
