package registry

import (
	"encoding/json"
	"fmt"

	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/identity/source"
	policy "github.com/tidemark/tidemark/pkg/policy/host"
	"github.com/tidemark/tidemark/pkg/storage"
)

// Job asks a worker to check 1 to [policy.JobItems] items of one host. The message with a job may be lost, doubled or
// late.
type Job struct {
	PartitionKey string    `json:"partitionKey"`
	Host         string    `json:"host"`
	Items        []JobItem `json:"items"`
	Reason       string    `json:"reason"`
	RunID        string    `json:"runId,omitempty"`
	// TraceParent identifies the W3C trace of the job. It is empty if there is no trace.
	TraceParent string `json:"traceparent,omitempty"`

	// Message is the id of the message that brought the job before it was moved to another queue. It is empty if the job
	// was not moved.
	Message string `json:"message,omitempty"`

	Attempt Attempt    `json:"-"` // the try to do the job
	Counts  *JobCounts `json:"-"` // what became of the items, if the caller wants to know
}

// JobCounts says what became of the items of a job.
type JobCounts struct {
	Done   int // number of items whose findings were committed
	Locked int // number of items that need a check and that another worker holds
}

// JobItem identifies one item of a job and the requested generation.
type JobItem struct {
	ID         source.ID `json:"id"`
	RowKey     string    `json:"rowKey"`
	Generation int64     `json:"generation"`
}

// The reasons of a job.
const (
	reasonRegistered = "registered"
	reasonForced     = "forced"
	ReasonDue        = "due"
	reasonRemoved    = "removed"
)

// ParseJob reads a queue message. Its errors are Invalid.
func ParseJob(body []byte) (Job, error) {
	var j Job
	if err := json.Unmarshal(body, &j); err != nil {
		return Job{}, fault.New(fault.Invalid, "crawl job: %w", err)
	}
	if j.PartitionKey == "" || j.Host == "" || len(j.Items) == 0 || len(j.Items) > policy.JobItems {
		return Job{}, fault.New(fault.Invalid, "crawl job needs partitionKey, host and 1 to %d items", policy.JobItems)
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

// Hashes returns the RowKeys of the items of a job.
func (j Job) Hashes() (out []string) {
	for _, it := range j.Items {
		out = append(out, it.RowKey)
	}
	return out
}

// inJob returns the JobItem for an item.
func inJob(it *Item) JobItem {
	return JobItem{ID: it.ID, RowKey: it.key.Row, Generation: it.ReindexGeneration}
}
