package notify

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/feed"
	"github.com/tidemark/tidemark/pkg/notify/send"
	"github.com/tidemark/tidemark/pkg/storage/storagetest"
)

// chats makes a rule with a channel of three chats.
func (r *rig) chats() {
	r.t.Helper()
	r.settings["CREDENTIAL_CHATS"] = "secret telegram://1:tk@telegram?chats=-1,-2,-3"
	_, err := r.SaveChannel(r.t.Context(), api.ChannelSpec{Name: "chats",
		ChannelSettings: api.ChannelSettings{Kind: Service, URLFrom: "CHATS"}}, true)
	must(r.t, err)
	_, err = r.SaveRule(r.t.Context(), "", api.RuleSpec{Name: "All", Channels: []string{"chats"}})
	must(r.t, err)
}

func states(d api.Delivery) string {
	var out []string
	for _, t := range d.Targets {
		out = append(out, t.Name+" "+t.State)
	}
	return strings.Join(out, ", ")
}

// have returns how many messages each of the chats has.
func (r *rig) have() [3]int {
	return [3]int{len(r.to.got["-1"]), len(r.to.got["-2"]), len(r.to.got["-3"])}
}

// TestY7TargetsForThemselves checks that each chat of a channel gets a message once, also behind one that refuses it,
// that a retry goes only to those that were not sent, and that a delivery that failed names them.
func TestY7TargetsForThemselves(t *testing.T) {
	r := newRig(t)
	r.chats()
	r.to.no["-2"] = true
	r.publish(1, feed.Content)
	r.pass(5 * time.Minute)
	if d := r.deliveries(Waiting); len(d) != 1 || states(d[0]) != "-1 sent, -2 waiting, -3 sent" ||
		d[0].Answer.Error != "not sent to -2: it refuses the message" || d[0].Answer.OK {
		t.Fatalf("%+v", d)
	}
	if r.have() != [3]int{1, 0, 1} || r.to.sent["-2"] != 3 {
		t.Errorf("%v, %d tries", r.have(), r.to.sent["-2"])
	}
	r.pass(25 * time.Hour)
	failed := r.deliveries(Failed)
	if len(failed) != 1 || states(failed[0]) != "-1 sent, -2 failed, -3 sent" || r.have() != [3]int{1, 0, 1} {
		t.Fatalf("%v, %+v", r.have(), failed)
	}
	r.to.no["-2"] = false
	_, err := r.Retry(t.Context(), failed[0].ID)
	must(t, err)
	r.work()
	if d := r.deliveries(Sent); len(d) != 1 || states(d[0]) != "-1 sent, -2 sent, -3 sent" || !d[0].Answer.OK ||
		r.have() != [3]int{1, 1, 1} {
		t.Errorf("%v, %+v", r.have(), d)
	}
	_, err = r.Retry(t.Context(), failed[0].ID) // all were sent, and somebody wants it again
	must(t, err)
	r.work()
	if r.have() != [3]int{2, 2, 2} {
		t.Errorf("sent again: %v", r.have())
	}
}

// TestY7TargetsRest checks that a chat that asks for a pause gets no message before, while the others get theirs, and
// that the channel rests only when all its chats do.
func TestY7TargetsRest(t *testing.T) {
	r := newRig(t)
	r.chats()
	r.to.ill["-3"], r.to.after["-3"] = true, 2*time.Hour
	rests := func() bool {
		all, err := r.Channels(t.Context())
		must(t, err)
		return !all.Channels[0].RestsUntil.IsZero()
	}
	for range 3 {
		r.publish(1, feed.Content)
		r.pass(30 * time.Minute)
	}
	if r.have() != [3]int{3, 3, 0} || r.to.sent["-3"] != 1 || rests() {
		t.Errorf("%v, %d tries", r.have(), r.to.sent["-3"])
	}
	resting := 0
	for _, d := range r.deliveries(Waiting) {
		if d.Answer.Error == "not sent to -3: it rests" {
			resting++
		}
	}
	if resting != 2 {
		t.Errorf("%d deliveries say that a chat rests: %+v", resting, r.deliveries(Waiting))
	}
	r.to.ill["-3"] = false
	r.pass(time.Hour)
	if r.have() != [3]int{3, 3, 3} || len(r.deliveries(Sent)) != 3 {
		t.Errorf("%v, %d sent", r.have(), len(r.deliveries(Sent)))
	}
	for _, name := range []string{"-1", "-2", "-3"} {
		r.to.ill[name] = true
	}
	r.publish(1, feed.Content)
	if r.pass(time.Minute); !rests() {
		t.Error("a channel without a receiver does not rest")
	}
}

// TestY7RestsInParallel checks that a delivery keeps the rest that another one records during its send.
func TestY7RestsInParallel(t *testing.T) {
	r := newRig(t)
	r.chats()
	r.to.ill["-2"] = true
	r.to.meanwhile = func() {
		h, err := r.Worker.health(t.Context(), "chats")
		must(t, err)
		h.record(send.Result{Name: "-4", Ill: true}, r.now)
		_, err = r.Worker.rows.Transact(t.Context(), r.Worker.healthOp("chats", h))
		must(t, err)
	}
	r.publish(1, feed.Content)
	r.follow()
	id := r.deliveries(Waiting)[0].ID
	_, err := r.Deliver(t.Context(), id)
	must(t, err)
	h, err := r.Worker.health(t.Context(), "chats")
	must(t, err)
	if h.Targets["-2"].Fails != 1 || h.Targets["-4"].Fails != 1 {
		t.Errorf("%+v", h)
	}
}

// TestY7ChangedAddress checks deliveries whose channel gets another address meanwhile, or one that cannot be read.
func TestY7ChangedAddress(t *testing.T) {
	r := newRig(t)
	r.chats()
	r.to.no["-2"], r.to.no["-3"] = true, true
	r.publish(1, feed.Content)
	r.pass(time.Minute)
	r.settings["CREDENTIAL_CHATS"] = "secret pigeon://home"
	r.pass(time.Hour)
	if d := r.deliveries(Waiting); len(d) != 1 || states(d[0]) != "-1 sent, -2 waiting, -3 waiting" ||
		!strings.Contains(d[0].Answer.Error, "no service") {
		t.Fatalf("%+v", d)
	}
	r.settings["CREDENTIAL_CHATS"] = "secret telegram://1:tk@telegram?chats=-2,-4"
	r.to.no["-2"] = false
	r.pass(5 * time.Hour)
	d := r.deliveries(Failed)
	if len(d) != 1 || states(d[0]) != "-1 sent, -2 sent, -3 failed, -4 sent" ||
		d[0].Answer.Error != "not sent to -3: "+unnamed {
		t.Errorf("%+v", d)
	}
	delete(r.settings, "CREDENTIAL_CHATS")
	r.publish(1, feed.Content)
	r.pass(time.Minute)
	if d := r.deliveries(Waiting); len(d) != 1 || states(d[0]) != "chats waiting" {
		t.Errorf("%+v", d)
	}
	r.settings["CREDENTIAL_CHATS"] = "secret telegram://1:tk@telegram?chats=-2,-4"
	r.pass(2 * time.Hour)
	if d := r.deliveries(Sent); len(d) != 1 || states(d[0]) != "-2 sent, -4 sent" {
		t.Errorf("%+v", d)
	}
}

// TestY7AtLeastOnceAcrossAKill checks that each chat gets a message whichever request of a worker fails, before or
// after it took effect, and that a chat whose message was recorded as sent gets it once.
func TestY7AtLeastOnceAcrossAKill(t *testing.T) {
	for _, after := range []bool{false, true} {
		died := true
		for n := 1; died; n++ {
			r := newRig(t)
			r.chats()
			r.to.no["-2"] = true
			r.publish(1, feed.Content)
			r.follow()
			id := r.deliveries(Waiting)[0].ID
			died = false
			dies := r.over(storagetest.Hooked(r.store, dying(n, after, &died)))
			_, _ = dies.Worker.Deliver(context.WithoutCancel(t.Context()), id)
			recorded := states(r.deliveries(Waiting)[0]) == "-1 sent, -2 waiting, -3 sent"
			r.to.no["-2"] = false
			r.settle()
			if d := r.deliveries(Sent); len(d) != 1 || len(r.deliveries(Waiting)) != 0 {
				t.Fatalf("request %d, after %t: %+v", n, after, d)
			}
			if have := r.have(); recorded && have != [3]int{1, 1, 1} || min(have[0], have[1], have[2]) < 1 {
				t.Errorf("request %d, after %t: %v", n, after, have)
			}
		}
	}
}
