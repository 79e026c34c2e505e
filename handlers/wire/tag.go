package wire

import (
	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/policy/options"
)

// TagName returns the normalized name of a tag, as it is stored.
func TagName(text string) (string, error) {
	name, err := options.TagName(text)
	if err != nil {
		err = fault.Field("name", "name: %w", err)
	}
	return name, err
}
