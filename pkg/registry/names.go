package registry

import (
	"github.com/tidemark/tidemark/pkg/api"
	policy "github.com/tidemark/tidemark/pkg/policy/host"
	"github.com/tidemark/tidemark/pkg/policy/options"
	"github.com/tidemark/tidemark/pkg/registry/item"
	"github.com/tidemark/tidemark/pkg/registry/store"
)

// The types of the packages below, for callers of a registry.
type (
	Item            = item.Item
	Identity        = item.Identity
	Seen            = item.Seen
	Status          = item.Status
	Decision        = item.Decision
	Watched         = item.Watched
	Listed          = item.Listed
	Listing         = item.Listing
	Passed          = item.Passed
	Refused         = item.Refused
	Unreadable      = item.Unreadable
	Rendering       = item.Rendering
	RefusedRequests = item.RefusedRequests
	Settings        = item.Settings
	Job             = item.Job
	JobItem         = item.JobItem
	JobCounts       = item.JobCounts
	Attempt         = item.Attempt
	Cursor          = store.Cursor
)

// The types for the pace and the state of a host; see package [policy].
type (
	Politeness    = policy.Politeness
	Budget        = policy.Budget
	LastModRecord = policy.LastModRecord
)

const (
	// JobItems is the largest number of items in a job.
	JobItems = policy.JobItems
	// MaxPause bounds the pause that a site can ask for.
	MaxPause = policy.MaxPause
)

// The statuses of an item, see [item.Status].
const (
	Pending    = item.Pending
	Crawled    = item.Crawled
	Indexed    = item.Indexed
	Error      = item.Error
	OutOfScope = item.OutOfScope
	Gone       = item.Gone
)

// Outdated is the IndexedHash of a page that is in the index, or may be, but whose content there is not current.
const Outdated = item.Outdated

// ReasonDue is the reason of a job for items that are due.
const ReasonDue = item.ReasonDue

// Statuses lists every status, in the order of an item's life. Never is the time of the next check of a paused item.
var (
	Statuses = item.Statuses
	Never    = item.Never
)

// ParseJob reads a queue message. Its errors are Invalid.
func ParseJob(body []byte) (Job, error) { return item.ParseJob(body) }

// Folded returns a history in which checks in a row that found nothing share their lines (see [item.Folded]).
func Folded(history []Decision, steady bool) []Decision { return item.Folded(history, steady) }

// ApplyPriority sets an item's level to its effective priority.
func ApplyPriority(it *Item, e options.Effective) { item.ApplyPriority(it, e) }

// BrokenWatch says what is watched and is not there; see [item.BrokenWatch].
func BrokenWatch(it *Item) string { return item.BrokenWatch(it) }

// CheckOptions returns options in their stored form.
func CheckOptions(o api.Settings) (api.Settings, error) { return item.Check(o) }

// PatchOptions returns options after a change.
func PatchOptions(o api.Settings, p api.Patch) (out api.Settings, gone []string, err error) {
	return item.Patch(o, p)
}
