package notify

import (
	"testing"

	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/feed"
	"github.com/tidemark/tidemark/pkg/storage"
)

// TestN1StoredRules checks that rules that the program stored before there were zones match what readers see, also
// beside and beyond the main content, and that the zone main leaves that out (N1). Stored rules need no edit.
func TestN1StoredRules(t *testing.T) {
	r := newRig(t)
	for _, name := range []string{"ops", "chat", "digest"} {
		_, err := r.SaveChannel(t.Context(), api.ChannelSpec{Name: name,
			ChannelSettings: api.ChannelSettings{Kind: Webhook, URL: address(name)}}, true)
		must(t, err)
	}
	for id, spec := range map[string]string{
		"t1": `{"name":"Content","filter":{"host":"a.example","kind":"content"},"channels":["ops"]}`,
		"t2": `{"name":"Words","filter":{"kind":"content,gone","minShare":0.1,"added":"(?i)lock"},"channels":["chat"]}`,
		"t3": `{"name":"Main","filter":{"kind":"content","zone":"main"},"channels":["digest"]}`,
	} {
		_, err := r.store.Table(Table).Transact(t.Context(), storage.Op{Kind: storage.Insert, Entity: storage.Entity{
			Key: storage.Key{Partition: "rules", Row: id}, Props: storage.Properties{"spec": spec, "since": "0.0.0",
				"created": "2026-11-25T12:00:00Z"}}})
		must(t, err)
	}
	must(t, convert(t.Context(), r.Book.base))
	g := feed.Group{ID: "g"}
	for _, kind := range []feed.Kind{feed.Content, feed.Beside, feed.Beyond, feed.Title, feed.Images, feed.Gone} {
		g.Changes = append(g.Changes, feed.Change{At: r.now, Kind: kind, Host: "a.example", Type: "url", Share: 0.2,
			ItemID: string(kind), Passages: []feed.Passage{{Text: "The lock opens at six.", Op: feed.Added}}})
	}
	must(t, r.feed.Publish(t.Context(), g))
	r.follow()
	r.work()
	for channel, want := range map[string]int{"ops": 3, "chat": 4, "digest": 1} {
		if _, n := r.told(channel); n != want {
			t.Errorf("%s got %d changes, want %d", channel, n, want)
		}
	}
}
