package app

import (
	"context"

	"github.com/tidemark/tidemark/pkg/entries"
	"github.com/tidemark/tidemark/pkg/notify"
	"github.com/tidemark/tidemark/pkg/storage"
	"github.com/tidemark/tidemark/pkg/storage/sqlitestore"
)

// Recover gives back what a former server had in work when it ended, so that nobody waits for it: messages, outbox
// entries and deliveries. Items and leases follow with their messages (see [registry.Attempt]). Only a server that has
// just acquired the lock of the data folder may call Recover, because then nobody else works there. For a storage
// account it does nothing, because other instances may work there.
func Recover(ctx context.Context, store storage.Store) error {
	embedded, ok := store.(*sqlitestore.Store)
	if !ok {
		return nil
	}
	// The claims are freed before the messages come again.
	if err := entries.Free(ctx, store); err != nil {
		return err
	}
	if err := notify.Free(ctx, store); err != nil {
		return err
	}
	return embedded.GiveBack(ctx)
}
