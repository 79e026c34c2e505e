package handlers

import (
	"log/slog"

	"github.com/tidemark/tidemark/pkg/fetch"
	"github.com/tidemark/tidemark/pkg/registry"
	"github.com/tidemark/tidemark/pkg/run/backfill"
	"github.com/tidemark/tidemark/pkg/run/bulk"
	"github.com/tidemark/tidemark/pkg/run/listimport"
	"github.com/tidemark/tidemark/pkg/run/mailimport"
	"github.com/tidemark/tidemark/pkg/run/migrate"
	"github.com/tidemark/tidemark/pkg/run/rebuild"
	"github.com/tidemark/tidemark/pkg/run/sitepoll"
)

// This file answers requests for work that takes longer than one call: rebuilds, migrations, bulk runs, backfills,
// polls of sites, and imports of mails and of addresses. It also receives the messages that continue this work.

// runHandlers answer requests about long-running work.
type runHandlers struct {
	Rebuilds *rebuild.Service
	Bulk     *bulk.Service
	Migrate  *migrate.Service
	Backfill *backfill.Service
	Polls    *sitepoll.Service
	Schemes  *fetch.SchemeGuesser // nil in some tests
	Mails    *mailimport.Service
	Lists    *listimport.Service
	Lookup   *registry.Lookup
	Log      *slog.Logger
}
