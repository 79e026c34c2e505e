package notify

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/feed"
	"github.com/tidemark/tidemark/pkg/notify/letter"
	"github.com/tidemark/tidemark/pkg/notify/send"
	"github.com/tidemark/tidemark/pkg/storage"
	"github.com/tidemark/tidemark/pkg/storage/row"
)

// States of deliveries.
const (
	Waiting = targetWaiting
	Sent    = targetSent
	Failed  = targetFailed
)

// delivery is the row of a delivery.
type delivery struct {
	Rule     string             `col:"rule"`
	Channel  string             `col:"channel"`
	Type     string             `col:"type"`
	State    string             `col:"state"`
	Created  time.Time          `col:"created"`
	Next     time.Time          `col:"next"`    // time of the next attempt
	Claimed  time.Time          `col:"claimed"` // end of a worker's claim on the delivery
	Last     time.Time          `col:"last"`    // time of the last attempt
	Until    time.Time          `col:"until"`   // time after which the delivery fails for good
	Attempts int                `col:"attempts"`
	Answer   api.ReceiverAnswer `col:"answer"`
	Targets  targets            `col:"targets,gzip"` // set by the first attempt
	Count    int                `col:"count"`
	First    string             `col:"first"` // positions of the first and the last change in the delivery
	Final    string             `col:"final"`
	Message  send.Message       `col:"message,gzip"`
	Title    string             `col:"title"`
}

var deliveryRows = row.Of[delivery]()

const (
	partition = "notify"
	waitingAs = "w"
	doneAs    = "d"
)

func deliveryKey(as, id string) storage.Key { return storage.Key{Partition: partition, Row: as + id} }

// waiting returns the operation that writes a new delivery. If an older copy of the store was restored, a delivery that
// was already sent is sent again.
func waiting(id string, d delivery) storage.Op {
	return storage.Op{Kind: storage.Upsert,
		Entity: storage.Entity{Key: deliveryKey(waitingAs, id), Props: deliveryRows.Encode(&d)}}
}

// sizeOf returns the size that operations on rows have in a transaction, which is never too small.
func sizeOf(all map[string]storage.Op) (n int) {
	const each = 2 << 10 // headers and keys
	for _, op := range all {
		n += each + storage.JSONSize(op.Entity)
	}
	return n
}

// order returns the prefix of delivery ids for a position in the feed; newer positions sort first.
func order(p feed.Position) string {
	const most = 0xffffffff
	return fmt.Sprintf("%08x%08x%08x", most-p.Segment, most-p.Group, most-p.Index)
}

// deliveryID returns the id of a rule's delivery to a channel. The given position is that of the last change in the
// delivery, or of its only change.
func deliveryID(last feed.Position, kind api.EventType, rule, channel string) string {
	sum := sha256.Sum256([]byte(string(kind) + "\n" + rule + "\n" + channel))
	return order(last) + "-" + hex.EncodeToString(sum[:8])
}

// newDelivery returns a waiting delivery that has no message yet.
func newDelivery(r *rule, channel string, now time.Time) delivery {
	return delivery{Rule: r.ID, Channel: channel, State: Waiting, Created: now, Next: now, Until: now.Add(tryFor),
		Count: 1}
}

// single makes the delivery of a single change to a channel.
func (s *Follower) single(r *rule, channel string, c feed.Change, to links, now time.Time) (id string, d delivery) {
	id = deliveryID(c.Position, api.EventChange, r.ID, channel)
	d = s.about(r, channel, id, r.shown(c), to, now)
	d.First, d.Final = c.Position.String(), c.Position.String()
	return id, d
}

// about makes the delivery about one change to a channel.
func (s *base) about(r *rule, channel, id string, shown api.FeedChange, to links, now time.Time) delivery {
	d := newDelivery(r, channel, now)
	d.Type = string(api.EventChange)
	shown.Diff = to.below(shown.Diff)
	p := letter.Part{Change: shown, Count: 1, Links: to.of(r, shown)}
	event := api.ChangeEvent{Event: s.event(id, api.EventChange, r.ID, shown.At), Data: api.ReportedChange{
		FeedChange: shown, RuleName: r.Name, Links: linksJSON(p.Links)}}
	event.Subject = shown.URL
	d.Message = r.message([]letter.Part{p}, to)
	d.Title = d.Message.Title
	if r.isWorded() {
		event.Data.Message = &api.MessageWording{Title: d.Message.Title, Text: d.Message.Text}
	}
	d.Message.ID, d.Message.Body = id, jsonBody(event)
	return d
}

// linksJSON returns links in the API's form.
func linksJSON(l letter.Links) api.MessageLinks {
	return api.MessageLinks{Difference: l.Difference, Why: l.Why, Mute: l.Mute}
}

// maxRow is the size at which the row of a delivery still takes what its attempts add.
const maxRow = 800 << 10

// digests makes the rows of a digest for the channels of a rule. If they are too large for one step, the digest has
// only its counts.
func (s *Follower) digests(r *rule, g gathered, some []api.FeedChange, lines api.ChangeLines, to links,
	now time.Time) map[string]storage.Op {
	all := map[string]storage.Op{}
	for _, name := range r.Channels {
		id, d := s.digest(r, name, g, some, lines, to, now)
		all[id] = waiting(id, d)
	}
	if some != nil && sizeOf(all) > min(maxRows, len(r.Channels)*maxRow) {
		return s.digests(r, g, nil, api.ChangeLines{}, to, now)
	}
	return all
}

// digest makes the delivery of a rule's gathered changes to a channel. Without changes, that is nil, it has only their
// counts.
func (s *Follower) digest(r *rule, channel string, g gathered, some []api.FeedChange, lines api.ChangeLines, to links,
	now time.Time) (id string, d delivery) {
	last, _ := feed.ParsePosition(g.Final)
	id = deliveryID(last, api.EventDigest, r.ID, channel)
	d = newDelivery(r, channel, now)
	d.Type, d.First, d.Final, d.Count = string(api.EventDigest), g.Since, g.Final, g.Gathered
	data := api.Digest{Title: counted(g.Kinds), Rule: r.Name, Count: g.Gathered, Kinds: g.Kinds,
		Changes: []api.ReportedChange{}, Alike: alikeJSON(lines), Since: g.Since, Last: g.Final}
	for _, c := range some {
		c.Diff = to.below(c.Diff)
		data.Changes = append(data.Changes, api.ReportedChange{FeedChange: c, Links: linksJSON(to.of(r, c))})
	}
	l := letter.Letter{Title: letter.Digest(r.Name, data.Title, g.Gathered, lines), Rule: r.Name, RuleLink: to.rule(r),
		Parts: partsOf(lines, func(c api.FeedChange) letter.Links { return to.of(r, c) }),
		Rest:  g.Gathered - lines.Count(), Changes: to.to("/", nil), Stop: to.stop(r, r.page)}
	if !g.First.IsZero() {
		l.Since = "Since " + g.First.In(r.plan.zone()).Format("2 January, 15:04")
	}
	if some != nil && len(lines.All) == 0 {
		l.Rest = 0 // all that the digest counts was purged
	}
	d.Title = l.Title
	event := api.DigestEvent{Event: s.event(id, api.EventDigest, r.ID, now), Data: data}
	d.Message = send.Message{ID: id, Title: d.Title, Text: l.Brief(), Foot: l.Foot(), Mail: l.Text(), HTML: l.HTML(),
		Body: jsonBody(event), Stop: l.Stop}
	return id, d
}

func (s *base) event(id string, kind api.EventType, rule string, at time.Time) api.Event {
	return api.Event{SpecVersion: "1.0", ID: id, Source: s.o.Source, Type: kind, Time: at.UTC(),
		DataContentType: "application/json", Rule: rule}
}

func jsonBody(v any) []byte {
	b, err := json.Marshal(v)
	if err != nil {
		panic("notify: an event cannot be encoded: " + err.Error()) // Unreachable: its types are declared here.
	}
	return b
}

// deliveryJSON returns a delivery in the API's form.
func deliveryJSON(id string, d delivery) api.Delivery {
	out := api.Delivery{ID: id, Rule: d.Rule, Channel: d.Channel, Type: d.Type, Title: d.Title, State: d.State,
		Created: d.Created, Attempts: d.Attempts, LastAttempt: d.Last, Answer: d.Answer, Count: d.Count, First: d.First,
		Last: d.Final, Targets: d.Targets.json(d.Channel)}
	if d.State == Waiting {
		out.NextAttempt = d.Next
	}
	return out
}

// shownColumns are the columns that are needed in lists.
var shownColumns = []string{"rule", "channel", "type", "state", "created", "next", "claimed", "last", "attempts",
	"answer", "targets0", "count", "first", "final", "title"} // the targets take one part

// Deliveries lists first the waiting deliveries and then all others, each newest first.
func (s *Worker) Deliveries(ctx context.Context, q api.DeliveryQuery) (page api.DeliveryPage, err error) {
	page.Deliveries = []api.Delivery{}
	if !slices.Contains([]string{"", Waiting, Sent, Failed}, q.State) {
		return page, fault.Field("state", "state must be waiting, sent or failed, not %.40q", q.State)
	}
	if strings.Trim(q.Continuation, "0123456789abcdefdw-") != "" {
		return page, fault.Field("continuation", "continuation does not belong to an earlier answer")
	}
	where := map[string]string{}
	for column, value := range map[string]string{"rule": q.Rule, "channel": q.Channel, "state": q.State} {
		if value != "" {
			where[column] = value
		}
	}
	for _, as := range []string{waitingAs, doneAs} {
		if as == waitingAs && (q.State == Sent || q.State == Failed || strings.HasPrefix(q.Continuation, doneAs)) ||
			as == doneAs && q.State == Waiting {
			continue
		}
		query := storage.Query{Partition: partition, RowFrom: as, RowTo: as + "~", Where: where, Select: shownColumns,
			PageSize: q.Top + 1}
		if strings.HasPrefix(q.Continuation, as) {
			query.RowFrom = q.Continuation
		}
		for e, err := range s.rows.Query(ctx, query) {
			if err != nil {
				return page, err
			}
			if len(page.Deliveries) == q.Top {
				page.Continuation = e.Row
				return page, nil
			}
			d, err := deliveryRows.Decode(e.Props)
			if err != nil {
				return page, err
			}
			page.Deliveries = append(page.Deliveries, deliveryJSON(e.Row[1:], d))
		}
	}
	return page, nil
}

// load reads a delivery from the waiting or the finished ones. If there is no such delivery, it returns an empty
// etag.
func (s *base) load(ctx context.Context, as, id string) (d delivery, etag storage.ETag, err error) {
	if storage.CheckKey(deliveryKey(as, id)) != nil {
		return d, "", nil
	}
	return deliveryRows.Load(ctx, s.rows, deliveryKey(as, id))
}

// Retry sends a delivery again, whatever its state, and keeps trying for another day. It goes to the targets that were
// not sent, or to all if all were sent.
func (s *Worker) Retry(ctx context.Context, id string) (api.Delivery, error) {
	as := doneAs
	d, etag, err := s.load(ctx, as, id)
	if err == nil && etag == "" {
		as = waitingAs
		d, etag, err = s.load(ctx, as, id)
	}
	if err != nil {
		return api.Delivery{}, err
	}
	if etag == "" {
		return api.Delivery{}, fault.New(fault.NotFound, "there is no delivery %.100q", id)
	}
	now := s.now()
	if d.State == Waiting && d.Claimed.After(now) {
		return deliveryJSON(id, d), nil // a worker is sending the delivery now
	}
	if d.State == Sent {
		d.Targets = nil
	}
	d.Targets.renew(now)
	d.State, d.Next, d.Until, d.Claimed = Waiting, now, now.Add(tryFor), time.Time{}
	ops := []storage.Op{deliveryRows.Put(deliveryKey(waitingAs, id), etag, &d)}
	if as == doneAs {
		ops = []storage.Op{deliveryRows.Put(deliveryKey(waitingAs, id), "", &d),
			{Kind: storage.Delete, Entity: storage.Entity{Key: deliveryKey(doneAs, id), ETag: etag}}}
	}
	// The channel is tried at once, even if it is paused.
	ops = append(ops, s.healthOp(d.Channel, targetHealth{}))
	if _, err := s.rows.Transact(ctx, ops...); err != nil {
		return api.Delivery{}, err
	}
	return deliveryJSON(id, d), s.enqueue(ctx, id, 0)
}

// Purge removes deliveries that ended more than [keepTime] ago, and mutes that ended as long ago. It returns the
// number of deliveries.
func (s *Worker) Purge(ctx context.Context) (removed int, err error) {
	if _, err := s.book.Mutes.purge(ctx, s.now()); err != nil {
		return 0, err
	}
	before := s.now().Add(-keepTime)
	var ops []storage.Op
	drop := func() (err error) {
		if len(ops) > 0 {
			_, err = s.rows.Transact(ctx, ops...)
		}
		removed, ops = removed+len(ops), nil
		return err
	}
	query := storage.Query{Partition: partition, RowFrom: doneAs, RowTo: doneAs + "~", Select: []string{"created"}}
	for e, err := range s.rows.Query(ctx, query) {
		if err != nil {
			return removed, err
		}
		if d, err := deliveryRows.Decode(e.Props); err == nil && !d.Created.Before(before) {
			continue
		}
		ops = append(ops, storage.Op{Kind: storage.Delete, Entity: storage.Entity{Key: e.Key, ETag: e.ETag}})
		if len(ops) == storage.MaxOps {
			if err := drop(); err != nil {
				return removed, err
			}
		}
	}
	return removed, drop()
}

// Free ends the claims of all deliveries. Callers must know that no other process works on the store. A delivery that
// changes meanwhile keeps its claim. Free creates the table if it is missing.
func Free(ctx context.Context, store storage.Store) error {
	rows := store.Table(Table)
	if err := rows.Create(ctx); err != nil {
		return err
	}
	for e, err := range rows.Query(ctx, storage.Query{Partition: partition, RowFrom: waitingAs, RowTo: waitingAs + "~"}) {
		if err != nil {
			return err
		}
		d, err := deliveryRows.Decode(e.Props)
		if err != nil || d.Claimed.IsZero() {
			continue // a delivery that cannot be read is not sent either
		}
		d.Claimed = time.Time{}
		op := deliveryRows.Put(e.Key, e.ETag, &d)
		if _, err := rows.Transact(ctx, op); err != nil && !fault.Lost(err) {
			return err
		}
	}
	return nil
}
