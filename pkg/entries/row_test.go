package entries

import (
	"sort"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tidemark/tidemark/pkg/entries/entry"
	"github.com/tidemark/tidemark/pkg/storage"
)

// TestD3RowsAreReadAsWritten checks the stored form of a row, because stored rows must stay readable forever (D3).
func TestD3RowsAreReadAsWritten(t *testing.T) {
	const id = "entry_telegram_thought_v1-aaaaaaaaaaaaaaaaaaaaaaaaab"
	stored := storage.Properties{
		"id": id, "entry_id": id, "created_at": "2026-03-01T12:00:00.000Z", "updated_at": "2026-03-01T12:00:00.000Z",
		"source": "telegram", "clean_text": "High tide", "link_count": int64(1), "link_ratio": 0.5, "low_signal": true,
		"metadata": `{"telegram":{"chat_id":"1","n":9007199254740993}}`, "idempotency_policy_key": entry.TelegramThought,
		"idempotency_key_primary": "tg:1:2",
	}
	key, err := keyOf(id)
	must(t, err)
	if want := (storage.Key{Partition: entry.TelegramThought, Row: "e|aaaaaaaaaaaaaaaaaaaaaaaaab"}); key != want {
		t.Errorf("key %v, want %v", key, want)
	}
	r, err := rowOf(storage.Entity{Key: key, Props: stored})
	must(t, err)
	if have := r.fields["metadata"].(map[string]any)["telegram"].(map[string]any); have["chat_id"] != "1" ||
		entry.KeysOf(r.fields) != keysOf(entry.TelegramThought, "tg:1:2", "") {
		t.Errorf("read as %v", r.fields)
	}
	if diff := cmp.Diff(stored, r.entity().Props); diff != "" {
		t.Errorf("written again (-stored +written):\n%s", diff)
	}
	for want, have := range map[storage.Key]storage.Key{
		{Partition: entry.TelegramThought, Row: "p|" + entry.Digest("tg:1:2")}: keyRow(entry.TelegramThought, "p", "tg:1:2"),
		{Partition: "-", Row: "s|" + entry.Digest("x")}:                        keyRow("", "s", "x"),
	} {
		if have != want {
			t.Errorf("key row %v, want %v", have, want)
		}
	}
}

// TestD3LargestRow checks that an entry is stored and read back when every column is as large as possible and cannot
// be compressed (D3).
func TestD3LargestRow(t *testing.T) {
	r := newRig(t, openMem)
	f := keyed(entry.TelegramThought, noise(4096), noise(4096),
		entry.Fields{"metadata": map[string]any{"a": noise(48<<10 - 20)}})
	for _, name := range entry.Columns() {
		tooLong := func(n int) bool { return entry.Fields{name: strings.Repeat("x", n+1)}.Check() != nil }
		if most := sort.Search(1<<20, tooLong); most > 0 && f[name] == nil && name != "source" {
			f[name] = noise(most)
		}
	}
	res := r.inserted(f)
	stored, err := r.In(Production).Get(t.Context(), res.Entry.Text("id"))
	must(t, err)
	if diff := cmp.Diff(asJSON(t, res.Entry), asJSON(t, stored)); diff != "" {
		t.Error("it comes back changed")
	}
}

// noise is that many bytes of text that compresses badly, half of them in characters of other scripts.
func noise(n int) string {
	out := make([]byte, 0, n)
	for h := entry.Digest("noise"); len(out) < n; h = entry.Digest(h) {
		for i := 0; i+1 < len(h) && len(out)+4 <= n; i += 2 {
			out = append(out, string(rune(0x4e00+int(h[i])*61+int(h[i+1])*7))...)
			out = append(out, 'A'+h[i]%26)
		}
		if n-len(out) < 4 {
			return string(append(out, h[:n-len(out)]...))
		}
	}
	return string(out)
}
