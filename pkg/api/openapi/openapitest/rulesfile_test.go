package openapitest

import (
	"bytes"
	"encoding/json"
	"path/filepath"
	"regexp"
	"slices"

	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/api/openapi"
	"github.com/tidemark/tidemark/pkg/notify"
	"github.com/tidemark/tidemark/pkg/notify/letter"
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

// kinds says which fields each kind of channel needs in a file. A field that is left empty is not set.
var kinds = regexp.MustCompile(`HAS (\w+)`).ReplaceAllString(`[
 {"if": {"properties": {"kind": {"const": "webhook"}}},
  "then": {"allOf": [{HAS secret}], "oneOf": [{HAS url}, {HAS urlFrom}]},
  "else": {"allOf": [{HAS urlFrom}], "not": {"anyOf": [{HAS url}, {HAS secret}]}}}]`,
	`"required": ["$1"], "properties": {"$1": {"type": "string", "minLength": 1}}`)

// unsetValue is what a field may also have that need not be there.
func unsetValue() *openapi.Schema {
	return &openapi.Schema{Type: openapi.Types{"string", "null"}, Pattern: "^$"}
}

// mayBeEmpty lets the optional fields of an object be left empty, as the reader of a file does.
func mayBeEmpty(s *openapi.Schema) {
	for _, f := range s.Properties {
		switch p := f.Value; {
		case slices.Contains(s.Required, f.Name):
		case p.Ref != "":
			p.AnyOf, p.Ref = []*openapi.Schema{{Ref: p.Ref}, {Type: openapi.Types{"null"}}}, ""
		case p.Enum != nil:
			p.AnyOf = []*openapi.Schema{{Type: p.Type, Enum: p.Enum}, unsetValue()}
			p.Type, p.Enum = nil, nil
		default:
			p.Type = append(slices.Clone(p.Type), "null")
		}
	}
}

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
	p, _ := rule.Properties.Get("channels")
	p.Items = &openapi.Schema{Type: openapi.Types{"string"}, Pattern: `\S`}
	for _, of := range s.named {
		mayBeEmpty(of)
	}
	mayBeEmpty(out.Schema)
	out.Defs.Put("ChannelSpec", channelOfFile(s.named["ChannelSpec"]))
	narrow(s.named["MessageWording"], "title", openapi.Schema{MaxLength: letter.MaxTitle})
	narrow(s.named["MessageWording"], "text", openapi.Schema{MaxLength: letter.MaxText})
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
