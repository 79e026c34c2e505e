package app

import (
	"errors"
	"regexp"
	"strings"

	"github.com/tidemark/tidemark/pkg/llm/openai"
)

// Models says which language models are used, and where they are. The zero value uses none.
type Models struct {
	BaseURL    string // value of OPENAI_BASE_URL
	Key        Secret // value of LITELLM_MASTER_KEY
	Embeddings string // value of EMBEDDINGS_MODEL; "": chunks and queries have no vectors
	Tier1      string // value of T1_DEFAULT_MODEL; "": entries are not enriched immediately
	Tier1Batch string // value of T1_BATCH_MODEL; "": entries are not enriched in batches
}

// Secret is a text that is never printed.
type Secret string

func (s Secret) String() string {
	if s == "" {
		return ""
	}
	return "…"
}

// GoString returns what %#v prints.
func (s Secret) GoString() string { return s.String() }

// MarshalText returns what JSON and logs contain.
func (s Secret) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// validate checks the settings of the models.
func (m Models) validate(s *settings) {
	if m.BaseURL != "" && openai.CheckBaseURL(m.BaseURL) != nil {
		s.bad("OPENAI_BASE_URL", baseAllowed)
	}
	for _, name := range []string{"EMBEDDINGS_MODEL", "T1_DEFAULT_MODEL", "T1_BATCH_MODEL"} {
		if s.isSet(name) && m.BaseURL == "" {
			s.bad(name, "a model only together with OPENAI_BASE_URL, where it is")
		}
	}
}

// model returns the value of a setting that is the name of a model or route.
func model(into *string) value {
	return form(into, `^[!-~]{0,200}$`, "the name of a model, up to 200 printable characters without spaces")
}

// key returns the value of a setting that is the key of a service. A reference to a Key Vault that Azure could not
// resolve is passed on unchanged.
func key(into *Secret) value {
	const allowed = "a key of printable characters without spaces, and no reference to a Key Vault that was not resolved"
	return as(into, func(text string) (Secret, error) {
		if !keyForm.MatchString(text) || strings.HasPrefix(text, "@Microsoft.KeyVault") {
			return "", errors.New("no key")
		}
		return Secret(text), nil
	}, allowed)
}

var keyForm = regexp.MustCompile(`^[!-~]*$`)
