package app

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"

	"github.com/cespare/xxhash/v2"
	"github.com/tidemark/tidemark/pkg/notify"
	"github.com/tidemark/tidemark/pkg/registry"
	"github.com/tidemark/tidemark/pkg/run/backfill"
	"github.com/tidemark/tidemark/pkg/run/bulk"
	"github.com/tidemark/tidemark/pkg/run/mailimport"
	"github.com/tidemark/tidemark/pkg/run/migrate"
	"github.com/tidemark/tidemark/pkg/run/rebuild"
	"github.com/tidemark/tidemark/pkg/run/sitepoll"
	"github.com/tidemark/tidemark/pkg/search/sqlitesearch/generations"
	"github.com/tidemark/tidemark/pkg/storage"
	"github.com/tidemark/tidemark/pkg/storage/azure"
	"github.com/tidemark/tidemark/pkg/storage/sqlitestore"
)

// Embedded is the value of STORAGE with which all state is kept in a folder below TIDEMARK_DATA. `tidemark start`
// chooses this value and passes it to the handler. A handler without the setting, as in Azure, uses the storage
// account.
const Embedded = "embedded"

// StoreFolder returns the path of the embedded store in a data folder.
func StoreFolder(data string) string { return filepath.Join(data, "store") }

// IndexFile returns the path of the embedded index in a data folder that answers. SQLite keeps two more files, whose
// names have -wal and -shm added.
func IndexFile(data string) string { return generations.File(data) }

// IndexFiles returns the paths of all files of the embedded index in a data folder.
func IndexFiles(data string) []string { return generations.Files(data) }

// MakeDataFolder creates a data folder if it is missing. Only its owner can access the folder, because it holds the
// crawled content.
func MakeDataFolder(data string) error { return os.MkdirAll(data, 0o700) }

// Prepare creates the queues and tables of an app with these settings. It is for a host that polls the queues before
// the app has started. It may be called again.
func Prepare(ctx context.Context, cfg Config, s storage.Store) error {
	for _, queue := range []string{rebuild.Queue, bulk.Queue, mailimport.Queue, backfill.Queue, backfill.PoisonQueue,
		sitepoll.Queue, sitepoll.PoisonQueue, notify.Queue, notify.PoisonQueue} {
		if err := s.Queue(queue).Create(ctx); err != nil {
			return err
		}
	}
	return registry.New(s, registry.Options{Table: cfg.Table}).Create(ctx)
}

// CheckForm returns an error if this program does not read the rows of a store, or would not find its items with these
// settings. It must be called before anything is written. It creates one table, which every store has.
func CheckForm(ctx context.Context, cfg Config, store storage.Store) error {
	return migrate.CheckForm(ctx, store, cfg.layout())
}

// FixesStore reports whether a setting must stay as it is once a store has items: [CheckForm] refuses another value.
func FixesStore(name string) bool {
	return name == "REGISTRY_TABLE_NAME" || name == "REGISTRY_PARTITION_STRATEGY"
}

// layout returns the settings that must not change once a store has items.
func (c *Config) layout() migrate.Layout { return migrate.Layout{Table: c.Table, Strategy: c.Strategy} }

// Twice returns the addresses that have two items in a store, because REGISTRY_PARTITION_STRATEGY was changed. It reads
// all items.
func Twice(ctx context.Context, cfg Config, store storage.Store) ([]registry.Duplicate, error) {
	return registry.New(store, registry.Options{Table: cfg.Table}).Twice(ctx)
}

// OpenStore opens the store that the settings select: a folder of this machine, or a storage account. The host and
// the handler of one app must have the same settings.
func OpenStore(get func(string) string, log *slog.Logger) (storage.Store, error) {
	if get("STORAGE") != Embedded {
		return azure.Open(get, azure.Options{})
	}
	return sqlitestore.Open(StoreFolder(cmp.Or(get("TIDEMARK_DATA"), defaultData)), sqlitestore.Options{Log: log})
}

// instance identifies the Functions host that started this process: the instance as Azure names it, or this machine,
// and the host's process. It is short, because locks contain it. All hosts of an embedded store count as one instance,
// because only one of them works at a time: see [Recover].
func instance(get func(string) string) string {
	if get("STORAGE") == Embedded {
		return Embedded
	}
	machine := get("WEBSITE_INSTANCE_ID")
	if machine == "" {
		machine, _ = os.Hostname()
	}
	if machine == "" {
		return ""
	}
	return fmt.Sprintf("%016x", xxhash.Sum64String(fmt.Sprintf("%s/%d", machine, os.Getppid())))
}
