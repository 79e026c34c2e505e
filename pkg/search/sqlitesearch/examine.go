package sqlitesearch

import (
	"context"
	"io/fs"
	"os"

	"github.com/tidemark/tidemark/pkg/base/fault"
)

// Examine looks at the index in the file at path, while others may use it, and changes nothing: how many pages it has,
// and with deep whether all of the file can be read. NotFound when there is none. Other errors say what [Open] would
// find: damage, or a file of a newer program.
func Examine(ctx context.Context, path string, deep bool) (pages int, err error) {
	if info, err := os.Stat(path); err != nil || info.Size() == 0 {
		return 0, fault.New(fault.NotFound, "%s: %w", path, fs.ErrNotExist)
	}
	ix := &Index{path: path}
	if err := ix.examine(); err != nil {
		return 0, err
	}
	db, err := openPool(path, 1, "deferred", "query_only(1)")
	if err != nil {
		return 0, err
	}
	defer db.Close()
	if err := db.QueryRowContext(ctx, "SELECT count(*) FROM pages").Scan(&pages); err != nil {
		return 0, kinded(err)
	}
	if !deep {
		return pages, nil
	}
	var answer string
	if err := db.QueryRowContext(ctx, "PRAGMA integrity_check(1)").Scan(&answer); err != nil {
		return pages, kinded(err)
	}
	if answer != "ok" {
		return pages, fault.New(fault.Unavailable, "search index %s is damaged: %s", path, answer)
	}
	return pages, nil
}
