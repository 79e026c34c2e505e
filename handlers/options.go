package handlers

import (
	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/policy/options"
	"github.com/tidemark/tidemark/pkg/registry"
)

// showOptions adds what people have set for an item.
func showOptions(out *api.Item, it *registry.Item) {
	o := it.Options
	out.Tags, out.Paused = it.Tags, it.Paused
	out.Watch, out.Interval, out.Schedule = (*api.Watch)(o.Watch), (*api.Interval)(o.Interval), (*api.Schedule)(o.Schedule)
	out.ActiveHours, out.Priority = (*api.ActiveHours)(o.ActiveHours), o.Priority
}

// optionsOf are options as a request has them, checked.
func optionsOf(w *api.Watch, i *api.Interval, s *api.Schedule, a *api.ActiveHours,
	priority *int) (options.Options, error) {
	return options.Options{Watch: (*options.Watch)(w), Interval: (*options.Interval)(i),
		Schedule: (*options.Schedule)(s), ActiveHours: (*options.ActiveHours)(a), Priority: priority}.Validate()
}
