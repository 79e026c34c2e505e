package entries

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/entries/entry"
	"github.com/tidemark/tidemark/pkg/identity/source"
	"github.com/tidemark/tidemark/pkg/registry"
	"github.com/tidemark/tidemark/pkg/storage/storagetest"
)

// linked returns a rig that registers links.
func linked(t *testing.T) (*rig, *registry.Registry) {
	r := newRig(t, openMem)
	reg := registry.New(storagetest.Hooked(r.under, r), registry.Options{Parallel: 1})
	must(t, reg.Create(t.Context()))
	r.Store = New(storagetest.Hooked(r.under, r), Options{Links: reg.Items, Rules: source.DefaultRules()})
	return r, reg
}

func normalizedLink(t *testing.T, text string) entry.Fields {
	f, err := entry.NormalizeTelegram(entry.Telegram{Text: text, ChatID: "1", MessageID: "2"}, source.DefaultRules())
	must(t, err)
	return f
}

// pages lists the registered pages and how they were discovered.
func pages(t *testing.T, reg *registry.Registry) map[string]string {
	found, err := reg.Items.List(t.Context(), registry.ListQuery{Top: 10})
	must(t, err)
	out := map[string]string{}
	for _, it := range found {
		out[it.NormalizedSource] = it.DiscoveryMethod
	}
	return out
}

// TestD10LinksArePages checks that the page of a link is registered, once, and that other entries and entries for
// tests register nothing (D10).
func TestD10LinksArePages(t *testing.T) {
	r, reg := linked(t)
	r.inserted(normalizedLink(t, "https://port.example/tides?utm_source=x"))
	r.inserted(keyed(entry.TelegramThought, "p", "", entry.Fields{"url_canonical": "https://thought.example/"}))
	r.inserted(keyed(entry.TelegramLink, "p", "", entry.Fields{"url": "https://port.example/bare"}))
	r.inserted(keyed(entry.TelegramLink, "q", "", nil))
	if _, err := r.In(Testing).Insert(t.Context(), normalizedLink(t, "https://test.example/")); err != nil {
		t.Error(err)
	}
	want := map[string]string{"https://port.example/tides": "ENTRY", "https://port.example/bare": "ENTRY"}
	if diff := cmp.Diff(want, pages(t, reg)); diff != "" {
		t.Errorf("(-want +have):\n%s", diff)
	}
	item, err := reg.Items.List(t.Context(), registry.ListQuery{Top: 1})
	must(t, err)
	if res := r.inserted(normalizedLink(t, "https://port.example/tides")); res.Action != Skipped {
		t.Errorf("again: %s", res.Action)
	}
	again, err := reg.Items.List(t.Context(), registry.ListQuery{Top: 1})
	must(t, err)
	if !again[0].NextCrawlAt.Equal(item[0].NextCrawlAt) {
		t.Error("a page that is known is checked again")
	}
	if _, err := r.insert(keyed(entry.TelegramLink, "r", "",
		entry.Fields{"url": "ftp://port.example/"})); fault.FieldOf(err) != "url" {
		t.Errorf("a URL that is none: %v", err)
	}
}

// TestD10Faults checks that a link that is sent again has its entry and its page, whatever failed before (D10).
func TestD10Faults(t *testing.T) {
	steps := 0
	for nth, after := 0, false; nth <= steps; nth, after = nth+btoi(after), !after {
		r, reg := linked(t)
		f, count := normalizedLink(t, "https://port.example/tides"), 0
		r.hook = failing(nth, after, &count)
		if _, err := r.insert(f); nth > 0 && err == nil && count < nth {
			t.Errorf("fault %d (after: %v) did not happen", nth, after)
		}
		r.hook = storagetest.Hooks{}
		if nth == 0 {
			steps = count
		}
		r.inserted(f)
		if len(r.rows()) != 1 || len(pages(t, reg)) != 1 {
			t.Errorf("fault %d (after: %v): %d entries, %d pages", nth, after, len(r.rows()), len(pages(t, reg)))
		}
	}
	if steps < 5 {
		t.Errorf("only %d operations were disturbed", steps)
	}
}
