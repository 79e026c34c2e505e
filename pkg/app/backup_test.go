package app

import (
	"bytes"
	"fmt"
	"maps"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/base/soaktest"
	"github.com/tidemark/tidemark/pkg/identity/source"
	"github.com/tidemark/tidemark/pkg/registry"
	"github.com/tidemark/tidemark/pkg/storage/snapshot"
	"github.com/tidemark/tidemark/pkg/storage/sqlitestore"
	"github.com/tidemark/tidemark/pkg/storage/transfer"
)

// backupPages is how many pages TestL5BackupWhileCrawling crawls.
var backupPages = soaktest.Count(120, 240)

// TestL5BackupWhileCrawling makes one backup after the other while the app crawls, and restores each. The registry's
// invariants hold, everything can be exported, and every indexed page has its snapshot. Then the app continues with a
// store that was restored from the middle of the crawl, and finishes it; the index is filled from the snapshots.
func TestL5BackupWhileCrawling(t *testing.T) {
	site, l := newPages(t), newLocal(t, map[string]string{"STORAGE": Embedded})
	l.start()
	l.add(addPages(site, backupPages))
	var middle *local
	for crawled := 0; crawled < backupPages; {
		again := l.restored(l.backup())
		crawled = again.checkRestored(site)
		if crawled > 0 && crawled < backupPages && middle == nil {
			middle = again
			continue
		}
		_ = again.store.Close()
	}
	l.stop()
	if middle == nil {
		t.Fatal("no backup fell into the crawl, which proves nothing")
	}
	middle.pass(lockAndTrust)
	middle.start()
	middle.await("everything is done", func() bool {
		middle.invoke("CrawlTimer")
		return middle.idle() && middle.counts()[api.StatusIndexed] == backupPages &&
			middle.search("beacon").Count == backupPages
	})
	middle.stop()
	middle.checkInvariants()
}

// addPages adds pages to a site. Every third has a body large enough to be a file in the store.
func addPages(site *pages, n int) (urls []string) {
	for i := range n {
		text := fmt.Sprintf("The beacon %d shines. ", i)
		if i%3 == 0 {
			text += strings.Repeat(fmt.Sprintf("At %d o'clock the tide turned at pier %d. ", i, i), 1000)
		}
		site.put(fmt.Sprintf("/page/%d", i), text)
		urls = append(urls, fmt.Sprintf("%s/page/%d", site.URL, i))
	}
	return urls
}

func (l *local) backup() []byte {
	l.t.Helper()
	var b bytes.Buffer
	o := sqlitestore.BackupOptions{MadeAt: time.Now(), Scratch: filepath.Join(l.t.TempDir(), "scratch")}
	if _, err := sqlitestore.Backup(l.t.Context(), StoreFolder(l.env["TIDEMARK_DATA"]), &b, o); err != nil {
		l.t.Fatal(err)
	}
	return b.Bytes()
}

// restored returns another app, on the store of a backup.
func (l *local) restored(backup []byte) *local {
	l.t.Helper()
	again := &local{t: l.t, dir: l.dir, log: newHostLog(), env: maps.Clone(l.env)}
	again.env["TIDEMARK_DATA"] = l.t.TempDir()
	if _, err := sqlitestore.Restore(l.t.Context(), bytes.NewReader(backup), StoreFolder(again.env["TIDEMARK_DATA"]),
		sqlitestore.BackupOptions{}); err != nil {
		l.t.Fatal(err)
	}
	var err error
	if again.store, err = OpenStore(again.setting, nil); err != nil {
		l.t.Fatal(err)
	}
	l.t.Cleanup(func() { _ = again.store.Close() })
	return again
}

// checkRestored reads everything, and returns how many pages were indexed when the backup was made.
func (l *local) checkRestored(site *pages) (indexed int) {
	l.t.Helper()
	l.checkInvariants()
	ctx := l.t.Context()
	cfg, err := Load(l.setting)
	if err != nil {
		l.t.Fatal(err)
	}
	if _, err := transfer.Export(ctx, l.store, l.t.TempDir(), StatePlan(cfg), transfer.Options{}); err != nil {
		l.t.Error(err)
	}
	reg, snaps := registry.New(l.store, registry.Options{}), snapshot.New(l.store)
	for i := range backupPages {
		path := fmt.Sprintf("/page/%d", i)
		page, err := source.Rules{}.ParseURL(site.URL + path)
		if err != nil {
			l.t.Fatal(err)
		}
		it, err := reg.Items.Find(ctx, page.ID())
		if err != nil {
			l.t.Errorf("%s was acknowledged before the backup: %v", path, err)
			continue
		}
		if it.Status != registry.Indexed {
			continue
		}
		indexed++
		site.mu.Lock()
		want := markup(path, site.texts[path])
		site.mu.Unlock()
		if _, body, err := snaps.Load(ctx, it.ID, it.RawHash); err != nil || string(body) != want {
			l.t.Errorf("%s: %d bytes kept (%v), want %d", path, len(body), err, len(want))
		}
	}
	return indexed
}
