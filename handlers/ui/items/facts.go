package items

import (
	"strings"

	"github.com/tidemark/tidemark/handlers/ui/frame"
	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/form"
)

// facts describes settings in words.
func facts(s api.TagSettings) []form.Fact { return form.Facts(s) }

// effectiveFacts describes in words the settings that apply to an item, each with its source.
func effectiveFacts(e *api.Effective) (out []frame.Fact) {
	if e == nil {
		return nil
	}
	for _, f := range form.Facts(e.TagSettings) {
		from := e.From[f.Path]
		tag, isTag := strings.CutPrefix(from, "tag ")
		fact := frame.Fact{Fact: f, Own: from == "item"}
		if isTag {
			fact.Tag = tag
		}
		out = append(out, fact)
	}
	return out
}
