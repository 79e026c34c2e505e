package app

import (
	"crypto/rand"
	"errors"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/ops/activity"
	"github.com/tidemark/tidemark/pkg/search"
	"github.com/tidemark/tidemark/pkg/search/azureaisearch"
	"github.com/tidemark/tidemark/pkg/search/sqlitesearch/generations"
	"github.com/tidemark/tidemark/pkg/storage"
)

// SearchService says which index of Azure AI Search is used. Without an endpoint, the embedded index is used, except
// in Azure, where no index is used.
type SearchService struct {
	Endpoint   string // value of SEARCH_ENDPOINT
	Key        Secret // value of SEARCH_API_KEY; "": use the identity of the app
	Index      string // value of SEARCH_INDEX
	Dimensions int    // value of SEARCH_VECTOR_DIMENSIONS; 0: no vectors
	Semantic   bool   // value of SEARCH_SEMANTIC
}

func (s SearchService) open(model string) (search.Engine, error) {
	return azureaisearch.Open(azureaisearch.Options{Endpoint: s.Endpoint, Index: s.Index, Key: string(s.Key),
		Dimensions: s.Dimensions, Model: model, Semantic: s.Semantic})
}

// validate checks the settings of the index. A malformed endpoint may contain a password, so it is not repeated.
func (service SearchService) validate(s *settings) {
	probe := service
	if probe.Endpoint == "" {
		probe.Endpoint = "https://unset.search.windows.net" // check the other settings as if there were an endpoint
	}
	_, err := probe.open("")
	switch fault.FieldOf(err) {
	case "endpoint":
		s.bad("SEARCH_ENDPOINT", endpointAllowed)
	case "index":
		s.bad("SEARCH_INDEX", indexAllowed)
	case "dimensions":
		s.bad("SEARCH_VECTOR_DIMENSIONS", "a whole number from 2 to 4096, or 0")
	}
	if service.Endpoint != "" && service.Dimensions == 0 && s.isSet("EMBEDDINGS_MODEL") {
		s.bad("SEARCH_VECTOR_DIMENSIONS",
			"with EMBEDDINGS_MODEL and SEARCH_ENDPOINT the length of the model's vectors, 2 to 4096")
	}
}

func (c *Config) readCloud(s *settings, _ string) { c.Cloud = inCloud(s.get) }

// inCloud reports whether the Functions host of Azure runs the app. The app may then have many instances, each with
// its own disk. Azure sets the name of the site for every process
// (https://learn.microsoft.com/azure/app-service/reference-app-settings). The Core Tools also set that name, because
// some extensions need it, but they also say that they are not Azure.
func inCloud(get func(string) string) bool {
	return get("WEBSITE_SITE_NAME") != "" && get("AZURE_FUNCTIONS_ENVIRONMENT") != "Development"
}

// openIndex opens the index that the settings select.
func openIndex(cfg Config, log *slog.Logger) (search.Engine, error) {
	switch {
	case cfg.Search.Endpoint != "":
		return cfg.Search.open(cfg.Models.Embeddings)
	case cfg.Cloud:
		log.Warn("no search index: SEARCH_ENDPOINT is not set, so pages are crawled and kept but cannot be searched")
		return search.None{}, nil
	}
	if err := MakeDataFolder(cfg.Data); err != nil {
		return nil, err
	}
	return generations.Open(cfg.Data, cfg.Models.Embeddings, log)
}

// ownIndex returns the check for other instances with an index of their own. It returns nil if the instances share an
// index, or if the store is for this instance alone.
func ownIndex(cfg Config, get func(string) string, store storage.Store, log *slog.Logger) (*activity.Indexes, error) {
	if cfg.Search.Endpoint != "" || cfg.Cloud || get("STORAGE") == Embedded {
		return nil, nil
	}
	id, err := indexID(cfg.Data)
	if err != nil {
		return nil, err
	}
	return activity.NewIndexes(store, id, activity.IndexesOptions{Log: log}), nil
}

// indexIDs matches the ids that [indexID] makes. An id that was not written completely does not match.
var indexIDs = regexp.MustCompile(`^[a-z2-7]{26}$`)

// indexID returns the id of the embedded index of a data folder. If the index is created again, it keeps its id.
func indexID(data string) (string, error) {
	file := filepath.Join(data, "index-id")
	text, err := os.ReadFile(file)
	if id := strings.TrimSpace(string(text)); err == nil && indexIDs.MatchString(id) {
		return id, nil
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return "", err
	}
	id := strings.ToLower(rand.Text())
	return id, os.WriteFile(file, []byte(id+"\n"), 0o600)
}
