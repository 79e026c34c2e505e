package aisearch

import "net/http"

// Fault makes the server fail as the service does.
type Fault struct {
	// Op is "index" for writing documents, "search", "get" or "put"; "" matches any.
	Op string
	// Status is the status of the answer to the whole request: 413, 429, 503, or any other.
	Status int
	// Item applies to an indexing request. It is the status of single documents, 409, 422 or 503, within a 207
	// answer. The other documents of the request are written.
	Item int
	// Match selects the documents by key. If it is nil, every other document is selected.
	Match func(key string) bool
	// RetryAfter is the header, in seconds or a date, or "".
	RetryAfter string
	// After lets the request take effect before it fails, as if the answer were lost on the way.
	After bool
	// Times is the number of times that the fault happens. It must be set.
	Times int
}

// Fail plans a fault. Several faults of the same request happen one after another, in the order in which they were
// planned.
func (s *Server) Fail(f Fault) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.faults = append(s.faults, f)
}

// fault returns the next fault that is planned for an operation, and removes it from the plan.
func (s *Server) fault(op string) (f Fault, found bool) {
	for i := range s.faults {
		if f := &s.faults[i]; f.Times > 0 && (f.Op == "" || f.Op == op) {
			f.Times--
			return *f, true
		}
	}
	return Fault{}, false
}

// around runs an operation. If a fault is planned for the whole request, the operation fails in that way.
func (s *Server) around(op string, do func(Fault) (int, any, error)) (int, any, error) {
	f, found := s.fault(op)
	fails := found && f.Status != 0
	if fails && !f.After {
		return 0, nil, f.failure()
	}
	status, answer, err := do(f)
	if fails && err == nil {
		return 0, nil, f.failure()
	}
	return status, answer, err
}

func (f Fault) failure() error {
	return &failure{status: f.Status, message: "planned: " + http.StatusText(f.Status), retryAfter: f.RetryAfter}
}
