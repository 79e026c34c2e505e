package app

import (
	"fmt"
	"log/slog"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/ops/activity"
	"github.com/tidemark/tidemark/pkg/run/rebuild"
	"github.com/tidemark/tidemark/pkg/search"
	"github.com/tidemark/tidemark/pkg/search/azureaisearch"
	"github.com/tidemark/tidemark/pkg/search/searchtest/aisearch"
	"github.com/tidemark/tidemark/pkg/storage/storagetest/mem"
)

// A25: an error does not repeat a value that may contain a secret, and names settings of the index that contradict
// each other.
func TestA25SearchSettings(t *testing.T) {
	for _, tc := range []struct {
		set  map[string]string
		want string
	}{
		{map[string]string{"SEARCH_ENDPOINT": "https://me:hunter2@name.search.windows.net"}, "SEARCH_ENDPOINT=…"},
		{map[string]string{"SEARCH_ENDPOINT": "http://name.search.windows.net"}, "SEARCH_ENDPOINT=…"},
		{map[string]string{"SEARCH_API_KEY": "hunter2 "}, "SEARCH_API_KEY=…"},
		{map[string]string{"SEARCH_API_KEY": "@Microsoft.KeyVault(SecretUri=hunter2)"}, "SEARCH_API_KEY=…"},
		{map[string]string{
			"SEARCH_ENDPOINT": "https://name.search.windows.net", "EMBEDDINGS_MODEL": "m",
			"OPENAI_BASE_URL": "http://localhost:4000",
		}, "SEARCH_VECTOR_DIMENSIONS"},
	} {
		_, err := Load(env(tc.set))
		if !fault.Is(err, fault.Invalid) || !strings.Contains(err.Error(), tc.want) ||
			strings.Contains(err.Error(), "hunter2") {
			t.Errorf("%v: have %v", tc.set, err)
		}
	}
	c, err := Load(env(map[string]string{"SEARCH_API_KEY": "hunter2"}))
	if err != nil || strings.Contains(fmt.Sprintf("%v %+v %#v", c.Search, c.Search, c.Search), "hunter2") {
		t.Errorf("the key is printed, or %v", err)
	}
}

// TestSearchServiceIsUsed checks that with an endpoint the service has the index, and this disk has none.
func TestSearchServiceIsUsed(t *testing.T) {
	server := aisearch.New(t)
	c, err := Load(env(map[string]string{"SEARCH_ENDPOINT": server.URL, "SEARCH_API_KEY": aisearch.Key,
		"TIDEMARK_DATA": "/nowhere/at/all"}))
	if err != nil {
		t.Fatal(err)
	}
	index, err := openIndex(c, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	if _, ok := index.(*azureaisearch.Index); !ok {
		t.Fatalf("have %T", index)
	}
	if err := index.Create(t.Context()); err != nil {
		t.Fatal(err)
	}
	page := search.Page{ID: "a", Title: "Tides", IndexedAt: time.Unix(1e9, 0),
		Chunks: []search.Chunk{{Key: "k", UID: "u", Text: "noon"}}}
	if err := index.Put(t.Context(), page); err != nil || len(server.Documents("tidemark")) != 2 {
		t.Errorf("have %v", err)
	}
}

// A25: in Azure, an index on the disk of one instance is not used. Everywhere else it is, also over a storage account
// in Azure.
func TestA25EmbeddedIndexIsNotForAzure(t *testing.T) {
	account := map[string]string{"AzureWebJobsStorage__accountName": "account"}
	site := map[string]string{"WEBSITE_SITE_NAME": "func-tidemark"}
	for _, tc := range []struct {
		name string
		set  []map[string]string
		none bool
	}{
		{"one machine", nil, false},
		{"one machine over an account", []map[string]string{account}, false},
		{"Core Tools", []map[string]string{{"WEBSITE_HOSTNAME": "localhost:7071"}}, false},
		{"Core Tools with a name", []map[string]string{site, {"AZURE_FUNCTIONS_ENVIRONMENT": "Development"}}, false},
		{"Azure", []map[string]string{site, account}, true},
		{"Azure with a model", []map[string]string{site,
			{"EMBEDDINGS_MODEL": "m", "OPENAI_BASE_URL": "http://localhost:4000"}}, true},
	} {
		t.Run(tc.name, func(t *testing.T) {
			all := map[string]string{"TIDEMARK_DATA": t.TempDir()}
			for _, set := range tc.set {
				maps.Copy(all, set)
			}
			c, err := Load(env(all))
			if err != nil {
				t.Fatal(err)
			}
			index, err := openIndex(c, slog.New(slog.DiscardHandler))
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { index.Close() })
			s, err := Assemble(t.Context(), c, env(all), mem.New(time.Now), index, slog.New(slog.DiscardHandler))
			if err != nil {
				t.Fatal(err)
			}
			if _, none := s.Index.(search.None); none != tc.none {
				t.Errorf("have %T", s.Index)
			}
			if _, err := s.Rebuilds.Start(t.Context(), rebuild.Scope{Audit: true}); fault.Is(err, fault.Invalid) != tc.none {
				t.Errorf("an audit: %v", err)
			}
		})
	}
}

// TestP1KeyFileOfOneStore checks that a key file is used only with a store in the same folder (P1).
func TestP1KeyFileOfOneStore(t *testing.T) {
	for storage, none := range map[string]bool{Embedded: false, "account": true, "": true} {
		settings := map[string]string{"TIDEMARK_DATA": t.TempDir(), "STORAGE": storage}
		c := Config{Data: settings["TIDEMARK_DATA"]}
		why := c.secrets(env(settings), slog.New(slog.DiscardHandler)).Problem()
		if (why != "") != none {
			t.Errorf("with the store %q: %q", storage, why)
		}
	}
}

// TestAZ13OwnIndex checks where other instances are looked for, and that a data folder keeps the id of its index.
func TestAZ13OwnIndex(t *testing.T) {
	store, data := mem.New(time.Now), t.TempDir()
	open := func(settings map[string]string) *activity.Indexes {
		t.Helper()
		settings["TIDEMARK_DATA"] = data
		c, err := Load(env(settings))
		if err != nil {
			t.Fatal(err)
		}
		x, err := ownIndex(c, env(settings), store, slog.New(slog.DiscardHandler))
		if err != nil {
			t.Fatal(err)
		}
		return x
	}
	for name, settings := range map[string]map[string]string{
		"a shared index": {"SEARCH_ENDPOINT": "https://a.search.windows.net", "SEARCH_API_KEY": aisearch.Key},
		"Azure":          {"WEBSITE_SITE_NAME": "t"}, "a store of its own": {"STORAGE": Embedded},
	} {
		if open(settings) != nil {
			t.Errorf("%s: other instances are looked for", name)
		}
	}
	file := filepath.Join(data, "index-id")
	if _, err := os.Stat(file); err == nil {
		t.Error("an id was made for nothing")
	}
	if open(map[string]string{}) == nil {
		t.Error("other instances are not looked for")
	}
	first, err := indexID(data)
	again, errAgain := indexID(data)
	if err != nil || errAgain != nil || first != again || len(first) != 26 {
		t.Errorf("ids %q, %v and %q, %v", first, err, again, errAgain)
	}
	if err := os.WriteFile(file, []byte("half"), 0o600); err != nil {
		t.Fatal(err)
	}
	if id, err := indexID(data); err != nil || len(id) != 26 || id == first {
		t.Errorf("after half a file: %q, %v", id, err)
	}
}
