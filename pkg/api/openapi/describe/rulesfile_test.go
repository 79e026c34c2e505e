package describe

import (
	"bytes"
	"encoding/json"
	"path/filepath"

	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/api/openapi"
	"github.com/tidemark/tidemark/pkg/notify"
	"github.com/tidemark/tidemark/pkg/notify/wording"
)

// fileSchema is the JSON schema of a file that people write.
type fileSchema struct {
	Draft string `json:"$schema"`
	ID    string `json:"$id"`
	Title string `json:"title"`
	*openapi.Schema
	Defs openapi.List[any] `json:"$defs"`
}

// ofKind is the schema of a channel in a file, whose kind decides which fields it has.
type ofKind struct {
	*openapi.Schema
	AllOf json.RawMessage `json:"allOf"`
}

// kinds says which fields each kind of channel needs in a file.
const kinds = `[
 {"if": {"properties": {"kind": {"const": "webhook"}}},
  "then": {"required": ["secret"], "oneOf": [{"required": ["url"]}, {"required": ["urlFrom"]}]},
  "else": {"required": ["urlFrom"], "not": {"anyOf": [{"required": ["url"]}, {"required": ["secret"]}]}}}]`

// RulesFile builds the schema of a file of rules and channels from the types into which the file is read.
func RulesFile(root string) ([]byte, error) {
	words, err := readComments(filepath.Join(root, "pkg", "api"))
	if err != nil {
		return nil, err
	}
	s := newSchemas(words)
	out := fileSchema{
		Draft: "https://json-schema.org/draft/2020-12/schema", ID: "urn:tidemark:schema:rules",
		Title: "Tidemark's file of rules and channels",
		Schema: &openapi.Schema{Type: openapi.Types{"object"}, AdditionalProperties: false,
			Description: "Who is notified of which changes (RULES_FILE)."},
	}
	out.Properties.Put("channels", listOf(s.of(typeOf(api.ChannelSpec{}))))
	out.Properties.Put("rules", listOf(s.of(typeOf(api.RuleSpec{}))))
	for _, of := range s.named {
		of.AdditionalProperties = false
	}
	rule := s.named["RuleSpec"]
	narrow(rule, "name", openapi.Schema{Pattern: `\S`, MaxLength: 100})
	narrow(rule, "channels", openapi.Schema{MinItems: 1, MaxItems: notify.MaxChannels})
	out.Defs.Put("ChannelSpec", channelOfFile(s.named["ChannelSpec"]))
	narrow(s.named["MessageWording"], "title", openapi.Schema{MaxLength: wording.MaxTitle})
	narrow(s.named["MessageWording"], "text", openapi.Schema{MaxLength: wording.MaxText})
	for _, name := range []string{"Condition", "Constant", "MessageWording", "QuietHours", "RuleFilter", "RuleSpec"} {
		out.Defs.Put(name, s.named[name])
	}
	b, err := encode(out)
	return bytes.ReplaceAll(b, []byte("#/components/schemas/"), []byte("#/$defs/")), err
}

func listOf(items *openapi.Schema) *openapi.Schema {
	return &openapi.Schema{Type: openapi.Types{"array"}, Items: items}
}

// narrow adds bounds to a field.
func narrow(s *openapi.Schema, name string, with openapi.Schema) {
	p, _ := s.Properties.Get(name)
	p.Enum, p.Pattern, p.MaxLength, p.MinItems, p.MaxItems = with.Enum, with.Pattern, with.MaxLength, with.MinItems,
		with.MaxItems
}

// channelOfFile leaves out what only channels that are made in the dashboard have.
func channelOfFile(s *openapi.Schema) ofKind {
	narrow(s, "name", openapi.Schema{Pattern: "^[a-z0-9][a-z0-9._-]{0,63}$"})
	narrow(s, "kind", among(notify.Webhook, notify.Service))
	var fields openapi.List[*openapi.Schema]
	for _, f := range s.Properties {
		if f.Name != "fields" {
			fields.Put(f.Name, f.Value)
		}
	}
	s.Properties = fields
	return ofKind{s, json.RawMessage(kinds)}
}
