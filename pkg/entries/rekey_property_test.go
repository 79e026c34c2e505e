package entries

import (
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/sync/errgroup"

	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/entries/entry"
	"github.com/tidemark/tidemark/pkg/identity/source"
	"github.com/tidemark/tidemark/pkg/storage"
	"github.com/tidemark/tidemark/pkg/storage/storagetest"
)

// TestZ3RekeyFaults checks that a re-keying ends the same when any operation fails, before or after it took effect;
// and likewise the re-keying by inserts and updates (Z3).
func TestZ3RekeyFaults(t *testing.T) {
	for name, do := range map[string]func(r *rig){
		"rekey": func(r *rig) { r.rekeyAll(false) },
		"insert": func(r *rig) {
			for _, f := range []entry.Fields{r.mailAgain(2), r.mailAgain(5), r.mailAgain(6), r.mailAgain(7)} {
				for _, err := r.insert(f); err != nil; _, err = r.insert(f) {
					unavailable(r.T, err)
				}
			}
		},
		"update": func(r *rig) {
			in := entry.Fields{"id": r.idOf("three"), "title": "Tides"}
			for _, err := r.In(Production).Update(r.Context(),
				in); err != nil; _, err = r.In(Production).Update(r.Context(), in) {
				unavailable(r.T, err)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			var want map[string]entry.Keys
			steps := 0
			for nth, after := 0, false; nth <= steps; nth, after = nth+btoi(after), !after {
				r, count := newOldRig(t, openMem), 0
				r.hook = failing(nth, after, &count)
				do(r)
				r.hook = storagetest.Hooks{}
				if nth == 0 {
					steps, want = count, r.keysOfAll(Production)
				}
				if diff := cmp.Diff(want, r.keysOfAll(Production)); diff != "" || len(r.rows()) != 11 {
					t.Errorf("fault %d (after: %v) (-want +have):\n%s", nth, after, diff)
				}
				r.rekeyAll(false)
				if diff := cmp.Diff(rekeyedOld, r.keysOfAll(Production)); diff != "" {
					t.Errorf("fault %d (after: %v), re-keyed (-want +have):\n%s", nth, after, diff)
				}
			}
			if steps < 4 {
				t.Errorf("only %d operations were disturbed", steps)
			}
		})
	}
}

func unavailable(t *testing.T, err error) {
	t.Helper()
	if !fault.Is(err, fault.Unavailable) {
		t.Fatal(err)
	}
}

// mailAgain is one of the mails from which the old rows were made.
func (r *rig) mailAgain(i int) entry.Fields {
	in, _ := old(r.T)
	return in[i]
}

// idOf is the id of the production entry with a text.
func (r *rig) idOf(text string) string {
	r.Helper()
	for _, f := range r.rows() {
		if f.Text("clean_text") == text {
			return f.Text("id")
		}
	}
	r.Fatalf("no entry says %q", text)
	return ""
}

// asFirst gives an entry the keys of the first revision.
func asFirst(f entry.Fields) entry.Fields {
	k := entry.FirstKeys(f)
	if k.Policy == entry.TelegramThought {
		k.Secondary = entry.Digest(f.Text("clean_text"))
	}
	out := maps.Clone(f)
	setKeys(out, k)
	return out
}

// insertFirst inserts an entry as the first revision did.
func (r *rig) insertFirst(f entry.Fields) {
	r.Helper()
	s := r.In(Production)
	p, err := s.policies.read(r.Context(), f.Text("idempotency_policy_key"))
	must(r.T, err)
	p.Revision = entry.KeyRevision // turns off re-keying
	must(r.T, r.retry(r.Context(), func(try int) error {
		_, err := s.insert(r.Context(), p, asFirst(f).Writable(), "", try > 0)
		return err
	}))
}

// age removes the revision from all rows: the first revision had none.
func (r *rig) age() {
	r.Helper()
	for _, name := range Tables() {
		table := r.under.Table(name)
		for e, err := range table.Query(r.Context(), storage.Query{}) {
			must(r.T, err)
			if _, has := e.Props[revisionColumn]; has {
				delete(e.Props, revisionColumn)
				_, err := table.Transact(r.Context(), storage.Op{Kind: storage.Replace, Entity: e})
				must(r.T, err)
			}
		}
	}
}

func pick[T any](rng *rand.Rand, from ...T) T { return from[rng.IntN(len(from))] }

// pushed draws mails and messages, each with its own text except for some messages.
func pushed(t *testing.T, rng *rand.Rand) (all []entry.Fields) {
	t.Helper()
	for i := range 40 {
		var f entry.Fields
		var err error
		if rng.IntN(3) == 0 {
			f, err = entry.NormalizeTelegram(
				entry.Telegram{
					Text:      pick(rng, "ok", "yes", fmt.Sprint("thought ", i)),
					ChatID:    fmt.Sprint(rng.IntN(3)),
					MessageID: fmt.Sprint(i),
				},
				source.DefaultRules(),
			)
		} else {
			subject := pick(rng, "", "Re: ", "AW: ", "R: ", "[List] ", oldTag, "Re[2]: ") + pick(rng, "", "FW: ", "WG: ",
				"[a [b] c] ") + pick(rng, "Tides", "Lights", "[News]", strings.Repeat("Tide ", 150))
			f, err = entry.NormalizeEmail(entry.Email{
				RawText: fmt.Sprint("mail ", i), Subject: subject, From: pick(rng, "a@port.example", "News <n@port.example>"),
				ContentType: pick(rng, entry.Newsletter, entry.Correspondence),
				MessageID:   pick(rng, "", fmt.Sprint("m", rng.IntN(20))), Date: fmt.Sprintf("2026-03-0%dT08:00:00Z",
					1+rng.IntN(3)),
			})
		}
		must(t, err)
		all = append(all, f)
	}
	return all
}

// identity distinguishes one pushed mail or message from the others.
func identity(f entry.Fields) string {
	meta, _ := f["metadata"].(map[string]any)
	if from, ok := meta["telegram"].(map[string]any); ok {
		return fmt.Sprintf("%s %s:%s", f.Text("clean_text"), from["chat_id"], from["message_id"])
	}
	return f.Text("clean_text")
}

// TestZ3RekeyProperty checks, for any entries with keys of the first revision and any crashes, that every entry
// finally has the keys that its normalization makes, that no entry is lost, and that sending everything again adds
// nothing that exists (Z3).
func TestZ3RekeyProperty(t *testing.T) {
	for seed := range uint64(40) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			r, rng := newRig(t, openMem), rand.New(rand.NewPCG(seed, 1))
			all, made := pushed(t, rng), map[string]entry.Fields{}
			for _, f := range all {
				r.now = r.now.Add(time.Minute)
				r.insertFirst(f)
				made[identity(f)] = f
			}
			r.age()
			before := r.rows()
			r.hook = dying(rng)
			r.rekeyAll(false)
			r.hook = storagetest.Hooks{}
			r.checkKeys(before, made)
			r.resend(all)
		})
	}
}

// dying fails a tenth of all operations, half of them after they took effect.
func dying(rng *rand.Rand) storagetest.Hooks {
	killed := fault.New(fault.Unavailable, "killed")
	return storagetest.Hooks{
		OnBefore: func(context.Context, storagetest.Call) error {
			if rng.IntN(20) == 0 {
				return killed
			}
			return nil
		},
		OnAfter: func(_ context.Context, _ storagetest.Call, err error) error {
			if err == nil && rng.IntN(20) == 0 {
				return killed
			}
			return err
		},
	}
}

// checkKeys compares the entries with those from before, and their keys with normalization.
func (r *rig) checkKeys(before []entry.Fields, made map[string]entry.Fields) {
	r.Helper()
	after, holders := r.rows(), map[entry.Keys]bool{}
	for _, f := range after {
		for _, k := range entry.KeysOf(f).Each() {
			holders[k] = true
		}
	}
	if len(after) != len(before) {
		r.Fatalf("%d entries, %d before", len(after), len(before))
	}
	for i, f := range after {
		if identity(f) != identity(before[i]) || f.Text("id") != before[i].Text("id") ||
			f.Text("updated_at") != before[i].Text("updated_at") {
			r.Errorf("%s was %s", identity(f), identity(before[i]))
		}
		have, want := entry.KeysOf(f), entry.KeysOf(made[identity(f)])
		if strings.HasPrefix(have.Primary, "duplicate:") {
			have.Primary = ""
		}
		if have == want {
			continue
		}
		// A missing key belongs to another entry.
		for _, k := range want.Each() {
			if !holders[k] {
				r.Errorf("%s has %+v, want %+v", identity(f), have, want)
			}
		}
		if have.Primary != "" && have.Primary != want.Primary || have.Secondary != "" && have.Secondary != want.Secondary {
			r.Errorf("%s has %+v, want %+v", identity(f), have, want)
		}
	}
}

// resend inserts everything twice, and checks that nothing that exists is inserted.
func (r *rig) resend(all []entry.Fields) {
	r.Helper()
	stands := map[string]bool{}
	for _, f := range r.rows() {
		stands[identity(f)] = true
	}
	for round := range 2 {
		for _, f := range all {
			if res := r.inserted(f); res.Action == Inserted && (round > 0 || stands[identity(f)]) {
				r.Errorf("round %d: %s is inserted again", round, identity(f))
			}
		}
	}
}

// TestZ3RekeyRaces checks that concurrent inserts, updates and two re-keyings leave every key with one entry and lose
// no entry (Z3).
func TestZ3RekeyRaces(t *testing.T) {
	for name, open := range stores {
		t.Run(name, func(t *testing.T) {
			r := newOldRig(t, open)
			in, schemas := old(t)
			ids := map[string]bool{}
			for _, f := range r.rows() {
				ids[f.Text("id")] = true
			}
			var g errgroup.Group
			for worker, s := range []*Store{r.Store, r.another()} {
				g.Go(func() (err error) {
					cursor, done := "", false
					for !done && err == nil {
						_, _, _, cursor, done, err = s.Rekey(t.Context(), cursor, false)
					}
					return err
				})
				g.Go(func() error {
					for i := range in {
						at := (i + worker*7) % len(in)
						if _, err := s.In(schemas[at]).Insert(t.Context(), in[at]); err != nil {
							return err
						}
					}
					return nil
				})
				g.Go(func() error {
					for id := range ids {
						if _, err := s.In(Production).Update(t.Context(), entry.Fields{"id": id,
							"author": fmt.Sprint(worker)}); err != nil {
							return err
						}
					}
					return nil
				})
			}
			must(t, g.Wait())
			for _, f := range r.rows() {
				delete(ids, f.Text("id"))
			}
			if len(ids) != 0 {
				t.Errorf("lost: %v", ids)
			}
			if _, changed, _ := r.rekeyAll(false); changed != 0 {
				t.Errorf("%d were left", changed)
			}
			if actions := r.send(); actions[Inserted] != 0 {
				t.Errorf("sent again: %v", actions)
			}
		})
	}
}

// TestZ3RekeyCost checks that a new store has nothing to re-key, and that its inserts look up no old keys (Z3).
func TestZ3RekeyCost(t *testing.T) {
	r := newRig(t, openMem)
	r.inserted(r.mailAgain(2))
	if r.reads.Load() != 1 { // of the policy
		t.Errorf("%d reads", r.reads.Load())
	}
	old := newOldRig(t, openMem)
	old.rekeyAll(false)
	old.reads.Store(0)
	old.inserted(asFirst(old.mailAgain(0)))
	if old.reads.Load() != 1 {
		t.Errorf("after the re-keying: %d reads", old.reads.Load())
	}
	for _, cursor := range []string{"x", "pkm/none/e|a", "other/" + entry.EmailThread + "/"} {
		if _, _, _, _, _, err := r.Rekey(t.Context(), cursor, false); fault.FieldOf(err) != "cursor" {
			t.Errorf("%s: %v", cursor, err)
		}
	}
	_, err := old.In(Production).
		SavePolicy(t.Context(), Policy{Key: entry.EmailThread, Source: "email", OnConflict: Skip, Enabled: true})
	must(t, err)
	if p, err := old.In(Production).policies.read(t.Context(), entry.EmailThread); err != nil ||
		p.Revision != entry.KeyRevision ||
		p.OnConflict != Skip {
		t.Errorf("an operator's change: %+v, %v", p, err)
	}
}
