package llmtest

import (
	"encoding/json"
	"fmt"
	"strings"
)

// Ended is a batch that has ended, before a client sees it.
type Ended struct {
	Status string // completed, failed, expired or cancelled
	Code   string // error code of a failed batch
	Lines  []ResultLine
	Tail   string // text appended to the file of results
}

// ResultLine is a line of the file of results. If it has an error, it is a line of the file of errors.
type ResultLine struct {
	ID     string
	Status int // status of the response
	Body   any
	Code   string // error code of a line without a response
}

// Outcome changes the way in which a batch ends.
type Outcome func(e *Ended)

// End sets the outcomes of the next batches, one for each. A nil outcome means a regular end.
func (s *Server) End(outcomes ...Outcome) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.outcomes = append(s.outcomes, outcomes...)
}

// AtOnce combines several outcomes of one batch.
func AtOnce(all ...Outcome) Outcome {
	return func(e *Ended) {
		for _, o := range all {
			o(e)
		}
	}
}

// Fails makes the service refuse the file as a whole.
func Fails(code string) Outcome {
	return func(e *Ended) { e.Status, e.Code, e.Lines = "failed", code, nil }
}

// Expires ends the batch before the nth line, so that this line and all later lines expire.
func Expires(n int) Outcome { return rest(n, "expired", "batch_expired") }

// IsCancelled cancels the batch before the nth line, as if another client had cancelled it.
func IsCancelled(n int) Outcome { return rest(n, "cancelled", "batch_cancelled") }

func rest(n int, status, code string) Outcome {
	return func(e *Ended) {
		e.Status = status
		for i := n; i < len(e.Lines); i++ {
			e.Lines[i] = ResultLine{ID: e.Lines[i].ID, Code: code}
		}
	}
}

// LineFails makes the service refuse the nth line with the given status.
func LineFails(n, status int) Outcome {
	return func(e *Ended) {
		e.Lines[n].Status = status
		e.Lines[n].Body = map[string]any{"error": map[string]any{"message": "the service has a fault", "type": "server_error",
			"code": "fault"}}
	}
}

// LineMissing omits the nth line from both the file of results and the file of errors.
func LineMissing(n int) Outcome {
	return func(e *Ended) { e.Lines = append(e.Lines[:n:n], e.Lines[n+1:]...) }
}

// LineTwice writes the result of the nth line twice.
func LineTwice(n int) Outcome { return func(e *Ended) { e.Lines = append(e.Lines, e.Lines[n]) } }

// Stranger adds a result for a line that was never sent.
func Stranger(e *Ended) {
	line := e.Lines[0]
	line.ID = "somebody-elses-00001"
	e.Lines = append(e.Lines, line)
}

// BrokenLine adds the beginning of a line, as in a truncated file.
func BrokenLine(e *Ended) { e.Tail = `{"id":"batch_req_1","custom_id":"` }

// finish ends a batch. The caller must hold the server's lock. While the model answers, finish releases the lock.
func (s *Server) finish(b *batch) {
	ids, reqs, err := s.inputs(b)
	e := Ended{Status: "completed"}
	if err != nil {
		e.Status, e.Code = "failed", err.Error()
	}
	cancelled := b.Status == "cancelling"
	b.Status = "finalizing"
	s.mu.Unlock() // the model locks it for its answers
	for i, req := range reqs {
		e.Lines = append(e.Lines, ResultLine{ID: ids[i], Status: 200, Body: s.complete(req)})
	}
	s.mu.Lock()
	if cancelled {
		IsCancelled(len(e.Lines) / 2)(&e)
	}
	if len(s.outcomes) > 0 {
		o := s.outcomes[0]
		if s.outcomes = s.outcomes[1:]; o != nil {
			o(&e)
		}
	}
	s.publish(b, e, len(ids))
}

// publish writes the files of a batch that has ended. The results are in reverse order, because clients must not rely
// on their order.
func (s *Server) publish(b *batch, e Ended, total int) {
	var good, bad strings.Builder
	b.Status, b.RequestCounts = e.Status, counts{Total: total}
	for i := len(e.Lines) - 1; i >= 0; i-- {
		l := e.Lines[i]
		line := map[string]any{"id": fmt.Sprintf("batch_req_%d", i), "custom_id": l.ID, "response": nil, "error": nil}
		to := &good
		if l.Code != "" {
			line["error"] = map[string]any{"code": l.Code,
				"message": "This request could not be executed before the end of the batch."}
		} else {
			line["response"] = map[string]any{"status_code": l.Status, "request_id": "req_1", "body": l.Body}
		}
		if l.Status != 200 {
			to = &bad
			b.RequestCounts.Failed++
		} else {
			b.RequestCounts.Completed++
		}
		text, _ := json.Marshal(line)
		fmt.Fprintf(to, "%s\n", text)
	}
	good.WriteString(e.Tail)
	b.OutputFileID, b.ErrorFileID = s.keep("file-out-"+b.ID, good.String()), s.keep("file-err-"+b.ID, bad.String())
	if e.Code != "" {
		b.Errors = &batchErrors{Object: "list", Data: []batchError{{Code: e.Code, Message: "the batch failed"}}}
	}
}

func (s *Server) keep(id, text string) *string {
	if text == "" {
		return nil
	}
	s.files[id] = []byte(text)
	return &id
}
