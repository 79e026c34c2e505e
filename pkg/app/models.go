package app

import (
	"context"
	"regexp"
	"strings"

	"github.com/tidemark/tidemark/pkg/crawl"
	"github.com/tidemark/tidemark/pkg/llm/openai"
	"github.com/tidemark/tidemark/pkg/search"
	"github.com/tidemark/tidemark/pkg/search/embed"
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
		s.withhold("OPENAI_BASE_URL",
			"an http or https address without user, query and fragment, such as https://api.openai.com/v1")
	}
	if !isKey(m.Key) {
		s.withhold("LITELLM_MASTER_KEY",
			"a key of printable characters without spaces; a reference to a Key Vault must have been resolved")
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

var keyForm = regexp.MustCompile(`^[!-~]*$`)

// client is a client of the service with the models.
func (a assembly) client() (*openai.Client, error) {
	tokens := a.cfg.Metrics.ModelTokens
	return openai.New(openai.Options{
		BaseURL: a.cfg.Models.BaseURL, Key: string(a.cfg.Models.Key), Log: a.log,
		Used: func(in, out int) {
			tokens.Add(float64(in), "in")
			tokens.Add(float64(out), "out")
		},
	})
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

// withVectors gives an index whose queries have vectors, and what gives them to pages.
func (a assembly) withVectors(ctx context.Context, index search.Index) (search.Index, crawl.Embedder, error) {
	client, err := a.client()
	if err != nil {
		return nil, nil, err
	}
	model := client.Embedder(a.cfg.Models.Embeddings)
	cached := embed.NewCached(embed.NewRested(model), a.store, a.log)
	return embed.NewHybrid(index, model, a.log), embed.NewPageEmbedder(cached), cached.Create(ctx)
}
