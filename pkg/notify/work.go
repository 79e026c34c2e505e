package notify

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/base/defaults"
	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/base/telemetry"
	"github.com/tidemark/tidemark/pkg/notify/send"
	"github.com/tidemark/tidemark/pkg/storage"
	"github.com/tidemark/tidemark/pkg/storage/row"
)

// tryFor is the time after which a delivery is no longer retried.
const tryFor = 24 * time.Hour

// job is a message of the queue.
type job struct {
	Delivery string `json:"delivery"`
}

// ParseJob parses the message of a delivery, and returns the delivery's id. Errors: Invalid.
func ParseJob(body []byte) (id string, err error) {
	var j job
	if err := json.Unmarshal(body, &j); err != nil || j.Delivery == "" {
		return "", fault.New(fault.Invalid, "it is no message of a delivery")
	}
	return j.Delivery, nil
}

func (s *base) enqueue(ctx context.Context, id string, delay time.Duration) error {
	body, _ := json.Marshal(job{id}) // texts always encode
	return s.queue.Send(ctx, body, max(delay, 0))
}

var healthRows = row.Of[targetHealth]()

func healthKey(name string) storage.Key { return storage.Key{Partition: partition, Row: "h" + name} }

func (s *base) health(ctx context.Context, name string) (targetHealth, error) {
	if !channelName.MatchString(name) {
		return targetHealth{}, nil
	}
	h, _, err := healthRows.Load(ctx, s.rows, healthKey(name))
	return h, err
}

// healthOp writes the health of a channel. It overwrites what another process has written, because the new result is
// more recent.
func (s *base) healthOp(name string, h targetHealth) storage.Op {
	return storage.Op{Kind: storage.Upsert,
		Entity: storage.Entity{Key: healthKey(name), Props: healthRows.Encode(&h)}}
}

const (
	busyWait  = 2 * time.Second // longest wait for a channel that has its number of messages in flight
	busyPause = 20 * time.Millisecond
)

// await is like admit. It waits for a short time until it can return true, because most messages take much less time
// than the queue needs to give one out again.
func (s *Worker) await(ctx context.Context, name string) (admitted bool) {
	for range busyWait / busyPause {
		if s.admit(name) {
			return true
		}
		if defaults.Pause(ctx, busyPause) != nil {
			break
		}
	}
	return s.admit(name)
}

// admit counts another message in flight to a channel. It returns false if the channel already has the maximum
// number.
func (s *Worker) admit(name string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.busy[name] >= perChannel {
		return false
	}
	s.busy[name]++
	return true
}

func (s *Worker) giveBack(name string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.busy[name]--; s.busy[name] == 0 {
		delete(s.busy, name)
	}
}

// Deliver sends a delivery if it is waiting and due. It returns a description of the result, or "" if the delivery
// still waits. Why it does is logged for the whole channel, see [Worker.TellStuck].
func (s *Worker) Deliver(ctx context.Context, id string) (report string, err error) {
	d, etag, err := s.load(ctx, waitingAs, id)
	now := s.now()
	switch {
	case err != nil:
		return "", err
	case etag == "":
		return "it is over", nil
	case d.Claimed.After(now):
		return "another worker has it", nil
	case d.Next.After(now.Add(lostAfter)):
		return "another message will come for it", nil
	case d.Next.After(now.Add(time.Second)): // the clocks of two processes may differ
		return "it is early", s.enqueue(ctx, id, d.Next.Sub(now))
	}
	if !s.await(ctx, d.Channel) {
		return "", s.enqueue(ctx, id, 3*time.Second)
	}
	defer s.giveBack(d.Channel)
	h, err := s.health(ctx, d.Channel)
	if err != nil {
		return "", err
	}
	to := s.reach(ctx, d.Channel)
	d.Targets = d.Targets.aim(to.names, to.problem == nil)
	if waits, err := s.postponed(ctx, &d, &to, h, now); err != nil {
		return "", err
	} else if waits {
		return "", s.again(ctx, id, etag, d, nil)
	}
	d.Claimed, d.Last = now.Add(sendLease), now
	tags, err := s.rows.Transact(ctx, deliveryRows.Put(deliveryKey(waitingAs, id), etag, &d))
	if fault.Lost(err) {
		return "another worker has it", nil
	}
	if err != nil {
		return "", err
	}
	return s.end(ctx, id, tags[0], d, to.service, s.send(ctx, to, d.Message))
}

// postponed reports whether a delivery must wait: its receivers rest, or there are quiet hours. It sets the time until
// then. If the delivery need not wait, it sets the receivers that are due.
func (s *Worker) postponed(ctx context.Context, d *delivery, to *reached, h targetHealth,
	now time.Time) (bool, error) {
	names, next := d.Targets.Due(h, d.Until, now)
	if len(names) == 0 && !next.IsZero() {
		d.Next = next
		return true, nil
	}
	to.Only = names
	if d.Attempts == 0 {
		return false, nil // quiet hours were taken into account when the delivery was made
	}
	r, err := s.book.rule(ctx, d.Rule)
	if fault.Is(err, fault.NotFound) {
		return false, nil
	}
	if until := r.plan.Quiet.Over(now); until.After(now) && until.Before(d.Until) {
		d.Next = until
		return true, err
	}
	return false, err
}

// again puts a delivery back, to wait for its next attempt.
func (s *Worker) again(ctx context.Context, id string, etag storage.ETag, d delivery, more []storage.Op) error {
	d.Claimed = time.Time{}
	ops := append([]storage.Op{deliveryRows.Put(deliveryKey(waitingAs, id), etag, &d)}, more...)
	if _, err := s.rows.Transact(ctx, ops...); err != nil {
		if fault.Lost(err) {
			return nil
		}
		return err
	}
	return s.enqueue(ctx, id, d.Next.Sub(s.now()))
}

// reached is the destination of a channel's messages. If there is none, problem is the result of each attempt.
type reached struct {
	destination

	problem *send.Result
}

// reach finds the destination of a channel's messages.
func (s *Worker) reach(ctx context.Context, name string) reached {
	var to destination
	c, _, err := s.book.channel(ctx, name)
	missing := fault.Is(err, fault.NotFound)
	if err == nil {
		to, err = s.book.resolver.target(c)
	}
	if err != nil {
		return reached{destination{service: telemetry.Other, names: []string{""}}, &send.Result{
			ReceiverAnswer: api.ReceiverAnswer{Error: err.Error()}, Final: missing, Ill: !missing}}
	}
	return reached{destination: to}
}

// send sends a message to the receivers of a target that are due.
func (s *Worker) send(ctx context.Context, to reached, m send.Message) []send.Result {
	if len(to.Only) == 0 {
		return nil
	}
	if to.problem != nil {
		all := make([]send.Result, len(to.Only))
		for i, name := range to.Only {
			all[i] = *to.problem
			all[i].Name = name
		}
		return all
	}
	return s.sender.Send(ctx, to.Target, m)
}

// end records the results of an attempt. Meanwhile, parallel deliveries may have recorded other receivers of the
// channel, so it takes its health as it is now. If that cannot be read, what was sent is recorded all the same.
func (s *Worker) end(ctx context.Context, id string, etag storage.ETag, d delivery, service string,
	all []send.Result) (string, error) {
	h, unread := s.health(ctx, d.Channel)
	now := s.now()
	d.Attempts++
	d.Claimed = time.Time{}
	rested := len(h.Targets)
	for _, got := range all {
		d.Targets.record(got, d.Until, now)
		h.record(got, now)
	}
	d.State, d.Next, d.Answer = d.Targets.conclude()
	var ops []storage.Op
	if unread == nil && rested+len(h.Targets) > 0 {
		ops = append(ops, s.healthOp(d.Channel, h))
	}
	if d.State == Waiting {
		s.o.Metrics.Deliveries.Add(1, service, "retried")
		s.stuck.Note(d.Channel, 1, cmp.Or(d.Answer.Error, fmt.Sprintf("HTTP %d", d.Answer.Status)), now)
		s.TellStuck(ctx)
		return "", s.again(ctx, id, etag, d, ops)
	}
	if d.State == Failed {
		s.o.Metrics.Failures.Add(1, "delivery")
		failed, why := d.Targets.Failures() // the names of targets may be addresses of people
		s.o.Log.ErrorContext(ctx, "a delivery has failed", "delivery", id, "channel", d.Channel, "attempts", d.Attempts,
			"targets", failed, "why", why)
	}
	s.o.Metrics.Deliveries.Add(1, service, d.State)
	return d.State, s.finish(ctx, id, etag, d, ops)
}

// TellStuck logs the channels whose receivers do not take messages, in one line for a channel and an hour.
func (s *Worker) TellStuck(ctx context.Context) {
	for _, f := range s.stuck.Due(s.now()) {
		waiting := s.o.Metrics.DeliveriesWaiting.Of(f.Name)
		s.o.Log.WarnContext(ctx, "a channel is stuck", "channel", f.Name, "attempts", f.Count, "waiting",
			int(max(1, waiting)), "first", f.First)
	}
}

// finish moves a delivery from the waiting deliveries to the finished ones.
func (s *Worker) finish(ctx context.Context, id string, etag storage.ETag, d delivery, more []storage.Op) error {
	ops := append([]storage.Op{
		{Kind: storage.Delete, Entity: storage.Entity{Key: deliveryKey(waitingAs, id), ETag: etag}},
		{Kind: storage.Upsert, Entity: storage.Entity{Key: deliveryKey(doneAs, id), Props: deliveryRows.Encode(&d)}},
	}, more...)
	_, err := s.rows.Transact(ctx, ops...)
	if fault.Lost(err) {
		return nil // the worker that took over sends the delivery again, with the same id
	}
	return err
}

// GiveUp records that a delivery has failed, because its message could not be processed in any try.
func (s *Worker) GiveUp(ctx context.Context, id, why string) error {
	d, etag, err := s.load(ctx, waitingAs, id)
	if err != nil || etag == "" {
		return err
	}
	d.Targets.fail(why)
	d.State, d.Answer = Failed, api.ReceiverAnswer{Error: why}
	s.o.Metrics.Deliveries.Add(1, telemetry.Other, Failed)
	return s.finish(ctx, id, etag, d, nil)
}
