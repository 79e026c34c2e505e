package azure

import (
	"net/http"
	"sync/atomic"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore/policy"
)

// Counter counts the requests that stores send to Azure. It includes retries, because Azure bills them. One counter
// may serve several stores. It is for benchmarks and status pages.
type Counter struct {
	requests              [3]atomic.Int64
	rowsRead, rowsWritten atomic.Int64
}

// Counts is a snapshot of a [Counter].
type Counts struct {
	Table, Queue, Blob int64 // requests that were sent, including retries
	RowsRead           int64 // entities in the answers to Get and Query
	RowsWritten        int64 // entities in transactions that were applied, including deletes
}

// Policy returns a policy that counts requests. Add it to [Options.Policies].
func (c *Counter) Policy() policy.Policy { return counting{c} }

// Snapshot returns the counts so far. If calls are running, the counts may be from slightly different moments.
func (c *Counter) Snapshot() Counts {
	return Counts{
		Table: c.requests[Table].Load(), Queue: c.requests[Queue].Load(), Blob: c.requests[Blob].Load(),
		RowsRead: c.rowsRead.Load(), RowsWritten: c.rowsWritten.Load(),
	}
}

// Sub returns the counts since an earlier snapshot.
func (c Counts) Sub(earlier Counts) Counts {
	return Counts{
		Table: c.Table - earlier.Table, Queue: c.Queue - earlier.Queue, Blob: c.Blob - earlier.Blob,
		RowsRead: c.RowsRead - earlier.RowsRead, RowsWritten: c.RowsWritten - earlier.RowsWritten,
	}
}

type counting struct{ *Counter }

// Do implements [policy.Policy].
func (p counting) Do(req *policy.Request) (*http.Response, error) {
	c := callOf(req.Raw().Context())
	if c == nil {
		return req.Next()
	}
	c.counters = append(c.counters, p.Counter)
	before := c.attempts.Load()
	resp, err := req.Next()
	p.requests[c.service].Add(int64(c.attempts.Load() - before))
	return resp, err
}
