package transfer

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"os"
	"path/filepath"

	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/storage"
)

// check reads the whole folder, except for the bytes of blobs. It checks only the size of these bytes. Their digests
// are checked when the blobs are written.
func (i *importing) check(ctx context.Context) error {
	for _, c := range i.m.Tables {
		var want tally
		err := i.checkFile(ctx, c, tableFile(c.Name), func(text []byte) error {
			e, err := decodeRow(text)
			if err != nil {
				return err
			}
			e, _, _ = i.plan.thaw(c.Name, e)
			line, err := encodeRow(e)
			want.add(line)
			return err
		})
		if err != nil {
			return err
		}
		i.want[c.Name] = want
	}
	for _, c := range i.m.Containers {
		if err := i.checkFile(ctx, c, containerFile(c.Name),
			func(text []byte) error { return i.checkBlob(c.Name, text) }); err != nil {
			return err
		}
	}
	return nil
}

// admit passes the rows of the first table to the plan.
func (i *importing) admit() error {
	if i.plan.Admit == nil {
		return nil
	}
	return i.plan.Admit(func(yield func(storage.Entity, error) bool) {
		for _, l := range lines(i.dir, tableFile(i.plan.Tables[0])) {
			e, err := storage.Entity{}, l.err
			if err == nil {
				e, err = decodeRow(l.text)
			}
			if !yield(e, err) {
				return
			}
		}
	})
}

// checkFile compares a file with the manifest and checks each of its lines.
func (i *importing) checkFile(ctx context.Context, c contents, file string, check func(text []byte) error) error {
	digest, n := sha256.New(), 0
	for line, l := range lines(i.dir, file) {
		if l.err != nil {
			return l.err
		}
		if err := check(l.text); err != nil {
			return at(file, line, err)
		}
		digest.Write(l.text)
		digest.Write([]byte{'\n'})
		if n = line; n%progressEvery == 0 {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			i.o.progress("checking", c.Name, n, c.Lines)
		}
	}
	if n != c.Lines {
		return fault.New(fault.Invalid, "%s: %d lines, the manifest says %d", file, n, c.Lines)
	}
	if hex.EncodeToString(digest.Sum(nil)) != c.SHA256 {
		return fault.New(fault.Invalid,
			"%s: does not match its digest in the manifest: lines were put in another order or exchanged", file)
	}
	return nil
}

func (i *importing) checkBlob(container string, text []byte) error {
	l, err := decodeBlob(text)
	if err != nil {
		return err
	}
	file := bodyFile(container, l.Name)
	info, err := os.Stat(filepath.Join(i.dir, filepath.FromSlash(file)))
	if err != nil {
		return missing(file, err)
	}
	if info.Size() != l.Bytes {
		return fault.New(fault.Invalid, "%s has %d bytes, not the %d of blob %s", file, info.Size(), l.Bytes, l.Name)
	}
	return nil
}

// verify reads the whole store back and compares it with the folder.
func (i *importing) verify(ctx context.Context) error {
	for _, c := range i.m.Tables {
		if err := i.verifyTable(ctx, c); err != nil {
			return err
		}
	}
	for _, c := range i.m.Containers {
		if err := i.verifyBlobs(ctx, c); err != nil {
			return err
		}
	}
	return nil
}
