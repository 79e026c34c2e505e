package registry

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/base/telemetry"
	"github.com/tidemark/tidemark/pkg/identity/source"
	"github.com/tidemark/tidemark/pkg/storage"
)

// Job asks a worker to check 1 to [JobItems] items of one host. It may be lost, doubled or late.
type Job struct {
	PartitionKey string    `json:"partitionKey"`
	Host         string    `json:"host"`
	Items        []JobItem `json:"items"`
	Reason       string    `json:"reason"`
	RunID        string    `json:"runId,omitempty"`
	// TraceParent is the W3C trace that the job belongs to; empty for none.
	TraceParent string `json:"traceparent,omitempty"`
}

// JobItem names one item of a job and the generation that was asked for.
type JobItem struct {
	ID         source.ID `json:"id"`
	RowKey     string    `json:"rowKey"`
	Generation int64     `json:"generation"`
}

// Reasons of a job.
const (
	ReasonRegistered = "registered"
	ReasonForced     = "forced"
	ReasonDue        = "due"
	ReasonRemoved    = "removed"
)

// Queued is about how many jobs are on their way or in work.
func (r *Jobs) Queued(ctx context.Context) (int, error) {
	jobs, err := r.s.jobs.Length(ctx)
	slow, failed := r.s.slow.Length(ctx)
	return jobs + slow, errors.Join(err, failed)
}

// ParseJob reads a queue message. Its errors are Invalid.
func ParseJob(body []byte) (Job, error) {
	var j Job
	if err := json.Unmarshal(body, &j); err != nil {
		return Job{}, fault.New(fault.Invalid, "crawl job: %w", err)
	}
	if j.PartitionKey == "" || j.Host == "" || len(j.Items) == 0 || len(j.Items) > JobItems {
		return Job{}, fault.New(fault.Invalid, "crawl job needs partitionKey, host and 1 to %d items", JobItems)
	}
	for _, it := range j.Items {
		if !isItemRow(it.RowKey) {
			return Job{}, fault.New(fault.Invalid, "crawl job: rowKey %q is not an item's", it.RowKey)
		}
		if err := storage.CheckKey(storage.Key{Partition: j.PartitionKey, Row: it.RowKey}); err != nil {
			return Job{}, fmt.Errorf("crawl job: %w", err)
		}
	}
	if err := storage.CheckKey(storage.Key{Partition: j.PartitionKey, Row: hostRow(j.Host)}); err != nil {
		return Job{}, fmt.Errorf("crawl job: %w", err)
	}
	return j, nil
}

func (j Job) hashes() (out []string) {
	for _, it := range j.Items {
		out = append(out, it.RowKey)
	}
	return out
}

// send puts jobs for claimed items into the queue. A failure is logged and forgotten: the due
// rows say until when the jobs may arrive, and the sweep sends others after that.
func (r *store) send(ctx context.Context, partition, host, reason string, items []JobItem) {
	for some := range slices.Chunk(items, JobItems) {
		job := Job{PartitionKey: partition, Host: host, Items: some, Reason: reason, TraceParent: telemetry.TraceParent(ctx)}
		body, _ := json.Marshal(job) // strings and numbers always encode
		if err := r.jobs.Send(ctx, body, 0); err != nil {
			r.o.Log.WarnContext(ctx, "crawl job not sent; the sweep will", "host", host, "items", len(some),
				"kind", fault.KindOf(err))
		}
	}
}

// MoveToSlow sends a job that nobody has begun to the queue for hosts that do not answer. If the message is
// lost, the sweep sends another.
func (r *Jobs) MoveToSlow(ctx context.Context, job Job) error {
	body, _ := json.Marshal(job) // strings and numbers always encode
	return r.s.slow.Send(ctx, body, 0)
}

func jobItem(it *Item) JobItem {
	return JobItem{ID: it.ID, RowKey: it.key.Row, Generation: it.ReindexGeneration}
}
