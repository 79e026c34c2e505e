package app

import (
	"context"
	"log/slog"
	"regexp"
	"strings"

	"github.com/tidemark/tidemark/pkg/crawl"
	"github.com/tidemark/tidemark/pkg/embed"
	"github.com/tidemark/tidemark/pkg/enrich"
	"github.com/tidemark/tidemark/pkg/entries"
	"github.com/tidemark/tidemark/pkg/llm/openai"
	"github.com/tidemark/tidemark/pkg/search"
	"github.com/tidemark/tidemark/pkg/storage"
	"github.com/tidemark/tidemark/pkg/telemetry"
)

// Models says where language models are and which are used. The zero value uses none.
type Models struct {
	BaseURL    string // OPENAI_BASE_URL
	Key        Secret // LITELLM_MASTER_KEY
	Embeddings string // EMBEDDINGS_MODEL; "": chunks and queries have no vectors
	Tier1      string // T1_DEFAULT_MODEL; "": entries are not enriched at once
	Tier1Batch string // T1_BATCH_MODEL; "": nor in batches
}

// Secret is a text that is not printed.
type Secret string

func (s Secret) String() string {
	if s == "" {
		return ""
	}
	return "…"
}

// GoString is what %#v prints.
func (s Secret) GoString() string { return s.String() }

// MarshalText is what JSON and logs show.
func (s Secret) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// models reads the settings of the models. A value that is no address may hold a password, and one
// that is no key may be one, so those are not repeated.
func (s *settings) models() Models {
	m := Models{
		BaseURL:    s.get("OPENAI_BASE_URL"),
		Key:        Secret(s.get("LITELLM_MASTER_KEY")),
		Embeddings: s.model("EMBEDDINGS_MODEL"),
		Tier1:      s.model("T1_DEFAULT_MODEL"),
		Tier1Batch: s.model("T1_BATCH_MODEL"),
	}
	if m.BaseURL != "" && openai.CheckBaseURL(m.BaseURL) != nil {
		s.withhold("OPENAI_BASE_URL", "an http or https address without user, query and fragment, such as https://api.openai.com/v1")
	}
	if !isKey(m.Key) {
		s.withhold("LITELLM_MASTER_KEY", "a key of printable characters without spaces; a reference to a Key Vault must have been resolved")
	}
	for _, name := range []string{"EMBEDDINGS_MODEL", "T1_DEFAULT_MODEL", "T1_BATCH_MODEL"} {
		if s.isSet(name) && m.BaseURL == "" {
			s.bad(name, "a model only together with OPENAI_BASE_URL, where it is")
		}
	}
	return m
}

// model reads the name of a model or route.
func (s *settings) model(name string) string {
	return s.match(name, "", `^[!-~]{0,200}$`, "the name of a model, up to 200 printable characters without spaces")
}

// newEnrich opens the enrichment of entries; without the settings of its models it is off.
func newEnrich(m Models, metrics *telemetry.Metrics, store storage.Store, kept *entries.Store, log *slog.Logger) (*enrich.Service, error) {
	models, o := enrich.Models{Default: m.Tier1, Batch: m.Tier1Batch}, enrich.Options{Schemas: enrich.Schemas(), Log: log}
	if m.BaseURL != "" {
		client, err := openai.New(openai.Options{BaseURL: m.BaseURL, Key: string(m.Key), Log: log, Used: tokens(metrics)})
		if err != nil {
			return nil, err
		}
		models.Chat, models.Batches = client, client
	}
	return enrich.New(store, enrich.Kept{Store: kept}, models, o), nil
}

var keyForm = regexp.MustCompile(`^[!-~]*$`)

// tokens counts what models read and write.
func tokens(m *telemetry.Metrics) func(in, out int) {
	return func(in, out int) {
		m.ModelTokens.Add(float64(in), "in")
		m.ModelTokens.Add(float64(out), "out")
	}
}

// isKey reports whether a value may be a key. A reference to a Key Vault that Azure could not resolve
// is handed on as it is.
func isKey(key Secret) bool {
	return keyForm.MatchString(string(key)) && !strings.HasPrefix(string(key), "@Microsoft.KeyVault")
}

// withhold is bad for a value that may be a secret.
func (s *settings) withhold(name, allowed string) {
	s.problems = append(s.problems, name+"=…: allowed is "+allowed)
}

// withVectors has pages get vectors, and gives the index whose queries do. Without a model, or where
// there is no index, it is the index itself.
func withVectors(ctx context.Context, m Models, metrics *telemetry.Metrics, store storage.Store, index search.Index, o *crawl.Options, log *slog.Logger) (search.Index, error) {
	if _, none := index.(search.None); none || m.Embeddings == "" {
		return index, nil
	}
	client, err := openai.New(openai.Options{BaseURL: m.BaseURL, Key: string(m.Key), Log: log, Used: tokens(metrics)})
	if err != nil {
		return nil, err
	}
	model := client.Embedder(m.Embeddings)
	cached := embed.NewCached(embed.NewRested(model), store, log)
	if err := cached.Create(ctx); err != nil {
		return nil, err
	}
	o.Vectors = embed.NewFiller(cached)
	return embed.NewHybrid(index, model, log), nil
}
