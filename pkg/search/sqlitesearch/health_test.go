package sqlitesearch

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/base/health"
	"github.com/tidemark/tidemark/pkg/search"
)

func wantTrouble(t *testing.T, err error, texts ...string) {
	t.Helper()
	if _, ok := errors.AsType[*health.Trouble](err); !ok || !fault.Is(err, fault.Unavailable) {
		t.Fatalf("have %v, want trouble that an operator is told", err)
	}
	for _, text := range texts {
		if !strings.Contains(err.Error(), text) {
			t.Errorf("have %v, want %q in it", err, text)
		}
	}
}

// TestS6FullIndex checks that an index on a full disk reports that until a write succeeds, and keeps no test rows.
func TestS6FullIndex(t *testing.T) {
	path := filepath.Join(t.TempDir(), "index.db")
	ix := created(t, path)
	put(t, ix, somePage("a", manyWords(200)))
	limit := func(more int) {
		t.Helper()
		var pages int
		err := ix.write.QueryRow("PRAGMA page_count").Scan(&pages)
		if err == nil {
			_, err = ix.write.Exec(fmt.Sprintf("PRAGMA max_page_count(%d)", pages+more))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	limit(2)
	if err := ix.Ping(t.Context()); err != nil {
		t.Fatalf("before a write met the full disk: %v", err)
	}
	wantTrouble(t, ix.Put(t.Context(), somePage("b", strings.Repeat("tide ", 20_000))), "disk is full", path)
	for range 2 {
		wantTrouble(t, ix.Ping(t.Context()), "disk is full", "free some space", path)
	}
	limit(1 << 20)
	for try := 0; ix.Ping(t.Context()) != nil; try++ {
		if time.Sleep(health.BetweenTries / 10); try == 1000 {
			t.Fatalf("there is room again: %v", ix.Ping(t.Context()))
		}
	}
	var left int
	if err := ix.read.QueryRow("SELECT count(*) FROM images").Scan(&left); err != nil || left != 0 {
		t.Errorf("%d rows left behind (%v)", left, err)
	}
}

// TestS6DamagedIndex checks that Ping reports damage that a query met.
func TestS6DamagedIndex(t *testing.T) {
	path := filled(t)
	ix := open(t, path)
	if err := ix.Ping(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, err := ix.write.Exec("UPDATE leaves SET data = x'ff'"); err != nil {
		t.Fatal(err)
	}
	_, err := ix.Search(t.Context(), search.Query{Text: "w7", Top: 10})
	wantTrouble(t, err, path+" is damaged; restart the program")
	wantTrouble(t, ix.Ping(t.Context()), path+" is damaged; restart the program")
	ix.Close()
	expectSetAside(t, path, path+".corrupt-1")
	if err := open(t, path).Ping(t.Context()); err != nil {
		t.Errorf("after it was set aside: %v", err)
	}
}
