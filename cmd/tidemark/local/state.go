package local

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"time"

	"github.com/tidemark/tidemark/cmd/tidemark/folder"
	"github.com/tidemark/tidemark/pkg/app"
	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/base/words"
	"github.com/tidemark/tidemark/pkg/registry"
	"github.com/tidemark/tidemark/pkg/search/azureaisearch"
	"github.com/tidemark/tidemark/pkg/search/sqlitesearch"
	"github.com/tidemark/tidemark/pkg/storage"
	"github.com/tidemark/tidemark/pkg/storage/snapshot"
	"github.com/tidemark/tidemark/pkg/storage/sqlitestore"
)

// storePatience limits the time that storage and a search service may take to answer.
const storePatience = 30 * time.Second

// store reads and writes the storage. With --deep it reads all of an embedded store.
func (d *doctor) store(ctx context.Context) {
	switch {
	case d.bad:
		d.report("storage", skipped, "", "the settings are not right")
		return
	case d.kind == folder.Azurite:
		d.report("storage", skipped, "", "`tidemark start` starts Azurite, which is not checked by itself")
		return
	case d.kind == folder.Embedded && !folder.HasEmbedded(d.o.data):
		d.report("storage", fine, "", "%s is not there yet; the first start makes it", d.storeFolder())
		return
	}
	err := d.onStore(ctx, tryStore)
	switch {
	case err == nil:
		d.report("storage", fine, "", "%s storage can be read and written", d.kind)
	case d.kind == folder.Account:
		d.report("storage", problem, "check AzureWebJobsStorage, the network to it, and the rights of its key or identity",
			"the account does not work: %v", err)
	default:
		d.report("storage", problem, "do what it says; `tidemark restore` brings a backup back", "%v", err)
	}
	if err == nil && d.o.deep {
		d.duplicates(ctx)
	}
	if d.kind != folder.Embedded {
		return
	}
	if !d.o.deep {
		d.report("storage", skipped, "", "damage inside is looked for with --deep")
		return
	}
	damage, err := sqlitestore.Examine(ctx, d.storeFolder())
	if err != nil {
		damage = append(damage, err.Error())
	}
	for _, said := range damage {
		d.report("storage", problem, "stop Tidemark, keep a copy of the folder, and restore a backup", "%s", said)
	}
	if len(damage) == 0 {
		d.report("storage", fine, "", "all of it was read, and nothing is damaged")
	}
}

// deepPatience limits the time in which all items are read.
const deepPatience = 30 * time.Minute

// duplicates looks for addresses that have two items.
func (d *doctor) duplicates(ctx context.Context) {
	var found []registry.Duplicate
	err := d.onStoreFor(ctx, deepPatience, func(ctx context.Context, s storage.Store) (err error) {
		found, err = app.Twice(ctx, d.cfg, s)
		return err
	})
	if err != nil {
		d.report("items", skipped, "", "not all items could be read: %v", err)
		return
	}
	const begin = "begin a new store: write the addresses with `tidemark items --format csv > sources.csv`, start with " +
		"a new data folder, and run `tidemark import sources.csv`; or restore a backup from before the change"
	for _, t := range found {
		d.report("items", problem, begin, "%s is there twice, below %s and below %s, because REGISTRY_PARTITION_STRATEGY "+
			"was changed", t.Source, t.Partitions[0], t.Partitions[1])
	}
	if len(found) == 0 {
		d.report("items", fine, "", "no address is there twice")
	}
}

// onStore opens the storage for one call of do.
func (d *doctor) onStore(ctx context.Context, do func(context.Context, storage.Store) error) error {
	return d.onStoreFor(ctx, storePatience, do)
}

func (d *doctor) onStoreFor(ctx context.Context, patience time.Duration,
	do func(context.Context, storage.Store) error) error {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	return onStoreOf(ctx, d.o.data, d.kind, d.getenv, func(ctx context.Context, store storage.Store) error {
		if err := app.CheckForm(ctx, d.cfg, store); err != nil {
			return err
		}
		return do(ctx, store)
	})
}

// onStoreOf opens the storage of a data folder for one call of do. A server may have it open, too.
func onStoreOf(ctx context.Context, data, kind string, getenv func(string) string,
	do func(context.Context, storage.Store) error) error {
	e := folder.New(folder.Options{Data: data}, kind, getenv, folder.Real, nil)
	store, err := app.OpenStore(e.Lookup, slog.New(slog.DiscardHandler))
	if err != nil {
		return err
	}
	return errors.Join(do(ctx, store), store.Close())
}

// tryStore writes a blob that is too large for a row, reads it and deletes it.
func tryStore(ctx context.Context, store storage.Store) error {
	if err := store.Ping(ctx); err != nil {
		return err
	}
	blobs := store.Container(snapshot.Container)
	if err := blobs.Create(ctx); err != nil {
		return err
	}
	name, body := "doctor/"+rand.Text(), bytes.Repeat([]byte("tidemark"), 8<<10)
	if _, err := blobs.Put(ctx, name, storage.Blob{Body: body}); err != nil {
		return err
	}
	b, err := blobs.Get(ctx, name)
	if err == nil && !bytes.Equal(b.Body, body) {
		err = errors.New("a blob that was written comes back as another")
	}
	return errors.Join(err, blobs.Delete(ctx, name))
}

// index checks whether the search index can be used. It also reports an index that is empty although the registry has
// indexed sources.
func (d *doctor) index(ctx context.Context) {
	if d.bad {
		d.report("index", skipped, "", "the settings are not right")
		return
	}
	d.setAside()
	pages, err := d.countIndex(ctx)
	switch {
	case sqlitesearch.IsEarlier(err):
		d.report("index", warning, "nothing is to be done; the new one takes as much room beside the old one",
			"%s is of an earlier version: the next start sets it aside and fills a new one from the snapshots", d.indexFile())
		return
	case fault.Is(err, fault.NotFound) && d.cfg.Search.Endpoint == "":
		d.report("index", fine, "", "%s is not there yet; the first start makes it, and fills it", d.indexFile())
		return
	case err != nil && d.cfg.Search.Endpoint != "":
		d.report("index", problem, "check SEARCH_ENDPOINT, SEARCH_API_KEY or the role of the identity, and the network", "%v",
			err)
		return
	case err != nil:
		d.report("index", problem,
			"stop Tidemark and move the file away: the next start fills a new index from the snapshots",
			"%v", err)
		return
	}
	indexed, err := d.first(ctx, registry.Indexed)
	switch {
	case err == nil && len(indexed) > 0 && pages == 0:
		d.report("index", warning, "`tidemark status` shows whether it is being filled; `tidemark rebuild` fills it",
			"it is empty, and sources are said to be indexed")
	default:
		d.report("index", fine, "", "%s; `tidemark audit` compares each with the registry", words.Count(pages, "page"))
	}
}

// setAside names the files of indexes that were set aside, which nobody removes but a person.
func (d *doctor) setAside() {
	for _, file := range sqlitesearch.SetAside(d.indexFile()) {
		if info, err := os.Stat(file); err == nil {
			d.report("index", fine, "", "%s was set aside for a new index, with %s; remove it when you like", file,
				words.Size(info.Size()))
		}
	}
}

func (d *doctor) countIndex(ctx context.Context) (int, error) {
	if d.cfg.Search.Endpoint == "" {
		return sqlitesearch.Examine(ctx, d.indexFile(), d.o.deep)
	}
	ctx, cancel := context.WithTimeout(ctx, storePatience)
	defer cancel()
	s := d.cfg.Search
	index, err := azureaisearch.Open(azureaisearch.Options{Endpoint: s.Endpoint, Index: s.Index, Key: string(s.Key),
		Dimensions: s.Dimensions, Model: d.cfg.Models.Embeddings})
	if err != nil {
		return 0, err
	}
	return index.Count(ctx)
}

// first returns at most one source with the given status, or with any status when status is empty.
func (d *doctor) first(ctx context.Context, status registry.Status) (items []registry.Item, err error) {
	if d.bad || d.kind == folder.Azurite || d.kind == folder.Embedded && !folder.HasEmbedded(d.o.data) {
		return nil, fmt.Errorf("no storage to look at")
	}
	err = d.onStore(ctx, func(ctx context.Context, s storage.Store) error {
		items, err = registry.New(s, registry.Options{Table: d.cfg.Table}).Items.List(ctx,
			registry.ListQuery{Status: status, Top: 1})
		return err
	})
	return items, err
}
