package registry

import (
	"slices"

	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/fetch/file"
	"github.com/tidemark/tidemark/pkg/policy/options"
)

// Filter validates a filter as people write it. An error names the request field at fault: the prefix, such as
// "filter.", followed by the field of the filter.
func (l *Lookup) Filter(asked Filter, prefix string) (f Filter, err error) {
	f = Filter{Status: asked.Status, Paused: asked.Paused}
	if f.Status != "" && !slices.Contains(Statuses, f.Status) {
		field := prefix + "status"
		return f, fault.Field(field, "%s must be one of %v, not %.40q", field, Statuses, string(f.Status))
	}
	if asked.Tag != "" {
		if f.Tag, err = options.TagName(asked.Tag); err != nil {
			return f, fault.Field(prefix+"tag", "%stag: %w", prefix, err)
		}
	}
	f.Host, err = l.Host(prefix+"host", asked.Host)
	return f, err
}

// Host normalizes a host to the form that items have; "" for an empty host. Errors name the given request field.
func (l *Lookup) Host(field, host string) (string, error) {
	if host == "" || file.IsHost(host) {
		return host, nil
	}
	src, err := l.rules.ParseURL("https://" + host + "/")
	if err != nil {
		return "", fault.Field(field, "%w", err)
	}
	return src.Host, nil
}
