package registry

import (
	"context"
	"encoding/json"
	"slices"

	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/base/telemetry"
	policy "github.com/tidemark/tidemark/pkg/policy/host"
)

// Send sends jobs for claimed items. A failure is only logged: the due rows record how long the jobs may take to
// arrive, and after that time a sweep sends other jobs.
func (r *rowStore) Send(ctx context.Context, partition, host, reason string, items []JobItem) {
	for some := range slices.Chunk(items, policy.JobItems) {
		job := Job{PartitionKey: partition, Host: host, Items: some, Reason: reason,
			TraceParent: telemetry.TraceParent(ctx)}
		body, _ := json.Marshal(job) // strings and numbers always encode
		if err := r.Jobs.Send(ctx, body, 0); err != nil {
			r.Options.Log.WarnContext(ctx, "crawl job not sent; the sweep will", "host", host, "items", len(some),
				"kind", fault.KindOf(err))
		}
	}
}
