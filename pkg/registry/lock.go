package registry

import (
	"cmp"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/identity/source"
	policy "github.com/tidemark/tidemark/pkg/policy/host"
	"github.com/tidemark/tidemark/pkg/storage"
)

const (
	// LockTime is how long a worker holds its items. The job ends within that time.
	LockTime = policy.LeaseTime
	// RequestTime is the timeout of a request to the store. The request may take effect at any moment before the
	// timeout.
	RequestTime = 30 * time.Second
	// ClockSkew is a bound on the difference between the clocks of two instances.
	ClockSkew = 5 * time.Second
	// HeldTime bounds how long an item may be unavailable after its lock was sent, by all clocks, if the holder
	// commits nothing.
	HeldTime = LockTime + RequestTime + ClockSkew
	// ClaimHint is how far ahead the hint of a claimed row may be. A job for the row may begin at any time, and its
	// worker may die. The claim then ends [HeldTime] after the lock was sent. The lock may take effect as late as
	// RequestTime after it was sent, so the hint is not later than the end of the claim.
	ClaimHint = HeldTime - RequestTime - ClockSkew
)

// Forced reports whether a forced check is waiting (A15).
func (it *Item) Forced() bool {
	return it.ReindexRequested || it.ReindexGeneration > it.ProcessedGeneration
}

func (it *Item) needsCheck(now time.Time) bool { return !it.NextCrawlAt.After(now) || it.Forced() }

// NextCheckIn returns the time to the next check that is planned. It is 0 if the item needs a check, or is to be
// indexed anew.
func (it *Item) NextCheckIn(now time.Time) time.Duration {
	if it.needsCheck(now) || it.RebuildPending || it.IndexPending {
		return 0
	}
	return it.NextCrawlAt.Sub(now)
}

// eligible reports whether an attempt may lock the item: it is due or forced, and no worker holds it. An attempt that
// follows the holder need not wait for the end of its lock.
func (it *Item) eligible(now time.Time, a Attempt) bool {
	return it.needsCheck(now) && (it.free(now) || a.follows(it.LockOwner))
}

// lockedFor reports whether the item needs a check, and another worker holds it.
func (it *Item) lockedFor(now time.Time, a Attempt) bool {
	return it.needsCheck(now) && !it.eligible(now, a)
}

// free reports whether no worker holds the item. An expired lock counts as held as long as a request of its holder
// may still take effect.
func (it *Item) free(now time.Time) bool {
	return it.LockedUntil.IsZero() || !it.LockedUntil.Add(RequestTime).After(now)
}

// claimUntil returns the end of the claim on the item's due row if a job for the item is sent now, and the time of
// the hint for that claim. If a worker holds the item, the job finds it locked and is dropped. In that case the row
// is claimed only as long as the worker may hold the item: if the worker dies, a sweep claims the row.
func (it *Item) claimUntil(now time.Time) (until, hint time.Time) {
	until, hint = now.Add(JobTTL), now.Add(ClaimHint)
	if it.free(now) {
		return until, hint
	}
	until = it.LockedUntil.Add(HeldTime - LockTime)
	return until, policy.Earlier(until, hint)
}

// checkIsDue reports whether a check of the item is due and has not begun. A running check does not count: it may
// have fetched the page before the page changed, and a worker that outlived its lock may still commit. The first
// request during a running check moves the due time to after the beginning of the lock, and the commit keeps that
// time. A pending index does not count either, because indexing a snapshot sends no request to the site.
//
// A forced check does not wait for the due time. Its worker's clock may be behind the clock that set the due time, so
// such a check may have begun up to ClockSkew later than its lock says.
func (it *Item) checkIsDue(now time.Time) bool {
	begun := it.LockedUntil.Add(-LockTime)
	if it.Forced() {
		begun = begun.Add(ClockSkew)
	}
	return !it.NextCrawlAt.After(now) && it.NextCrawlAt.After(begun) && !it.IndexPending
}

// AsksNobody reports whether the item's next check sends no request to its site: the item is to be removed or has
// moved, or its snapshot is to be indexed.
func (it *Item) AsksNobody() bool {
	return it.RemoveRequested || it.MovedTo != "" || it.IndexPending && !it.Forced()
}

// Attempt names one try to do a job: the queue message that brought the job, the host instance that received the
// message, and the handler process. The zero Attempt names nothing.
type Attempt struct{ Message, Instance, Process string }

// AttemptBy returns the attempt at the job that a message brings to a process of an instance. A job that was moved to
// another queue keeps the name of its first message.
func (j Job) AttemptBy(message, instance, process string) Attempt {
	return Attempt{cmp.Or(j.Message, message), instance, process}
}

// owner returns the name of the owner of a lock that the attempt begins. The token makes the name unique.
func (a Attempt) owner(token string) string {
	if a.Message == "" || a.Instance == "" {
		return token
	}
	return strings.Join([]string{token, a.Message, a.Instance, a.Process}, "|")
}

// follows reports whether the owner of a lock is an earlier process of the attempt's own instance that had the same
// message. That process is dead: an instance has one handler process at a time, and gives a message to another one
// only after the call of the first has failed. Of other instances nothing is known, so their locks must end.
func (a Attempt) follows(owner string) bool {
	f := strings.Split(owner, "|")
	return a.Message != "" && a.Instance != "" && len(f) == 4 && f[1] == a.Message && f[2] == a.Instance &&
		f[3] != a.Process
}

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

// hashes returns the RowKeys of the items of a job.
func (j Job) hashes() (out []string) {
	for _, it := range j.Items {
		out = append(out, it.RowKey)
	}
	return out
}

// inJob returns the JobItem for an item.
func inJob(it *Item) JobItem {
	return JobItem{ID: it.ID, RowKey: it.key.Row, Generation: it.ReindexGeneration}
}
