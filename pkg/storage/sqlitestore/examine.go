package sqlitestore

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"hash/crc32"
	"io/fs"
	"os"

	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/storage/sqlitefile"
)

// maxDamage limits the length of the list that [Examine] returns.
const maxDamage = 10

// Examine reads the whole store in dir, and lists its damage: damaged pages of the database and damaged bodies of
// blobs, at most 10 in all. Other processes may use the store at the same time. Examine returns an error if it could
// not read the store at all, for example NotFound for a store that does not exist, or the error for another version.
func Examine(ctx context.Context, dir string) (damage []string, err error) {
	s := newStore(dir, Options{})
	defer func() { err = s.kinded(ctx, err) }()
	if _, err := os.Stat(s.file.Path); err != nil {
		return nil, fault.New(fault.NotFound, "%w", err)
	}
	release, err := holdBodies(dir) // keeps bodies that are deleted meanwhile, which would appear to be lost
	if err != nil {
		return nil, err
	}
	defer release()
	db, err := s.file.Readers(2)
	if err != nil {
		return nil, err
	}
	defer db.Close()
	if err := s.file.CheckVersion(ctx, db); err != nil {
		return nil, err
	}
	if damage, err = sqlitefile.Integrity(ctx, db, maxDamage); err != nil {
		return nil, err
	}
	bodies, err := damagedBodies(ctx, s, db, maxDamage-len(damage))
	return append(damage, bodies...), err
}

// damagedBodies compares each body with the checksum in its row.
func damagedBodies(ctx context.Context, s *Store, db *sql.DB, most int) (damage []string, err error) {
	var container, blob, file string
	var size, sum int64
	var small bool
	var data []byte
	for err := range sqlitefile.Rows(ctx, db, `SELECT c.name, b.name, b.file, b.size, b.sum, b.body IS NOT NULL, b.body
		FROM blobs b JOIN created c ON c.id = b.container`, nil, &container, &blob, &file, &size, &sum, &small, &data) {
		if err != nil || len(damage) == most {
			return damage, err
		}
		where := s.file.Path
		if small {
			if int64(len(data)) != size || int64(crc32.Checksum(data, checksums)) != sum {
				err = errDamagedBody
			}
		} else {
			f := s.bodies.body(container, file)
			where = f.path
			_, err = f.read(size, uint32(sum))
		}
		if errors.Is(err, errDamagedBody) || errors.Is(err, fs.ErrNotExist) {
			damage, err = append(damage, fmt.Sprintf("blob %s of %s, in %s: %v", blob, container, where, err)), nil
		}
		if err != nil {
			return damage, err
		}
	}
	return damage, nil
}
