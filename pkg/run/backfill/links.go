package backfill

import (
	"context"
	"fmt"
	"strings"

	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/run"
	"github.com/tidemark/tidemark/pkg/storage"
)

// These are variables because tests use smaller values.
var (
	// sliceLinks is the most links that one step registers. The run's row therefore shows progress after each such
	// number of links (E12).
	sliceLinks = 50
	// linkRows is how many rows of links one transaction writes. A transaction may have 4 MiB.
	linkRows = 24
)

// sliceBytes bounds the links in one column. A column may have 64 KiB.
const sliceBytes = 60_000

func linksPrefix(run, source string) string { return "links|" + run + "|" + source + "|" }

func linksKey(c *checkpoint, n int) storage.Key {
	return key(fmt.Sprintf("%s%s|%04d", linksPrefix(c.Run, c.Source), c.Token, n))
}

// cut divides addresses into slices, one for each step. A slice has no more addresses than the argument most says. An
// address so long that it would fill a row alone is dropped, because it cannot be a real one.
func cut(addresses []string, most int) (out []string) {
	var b strings.Builder
	n := 0
	for _, a := range addresses {
		if len(a) >= sliceBytes {
			continue
		}
		if n == most || b.Len()+len(a)+1 > sliceBytes {
			out = append(out, b.String())
			b.Reset()
			n = 0
		}
		if n++; n > 1 {
			b.WriteByte('\n')
		}
		b.WriteString(a)
	}
	if b.Len() > 0 {
		out = append(out, b.String())
	}
	return out
}

// storeLinks writes the links of a document under a token that only this step uses. When two steps read the same
// document at once, only the links of the step that ends first are used. The last rows, which for most documents are
// all rows, are not written but returned as operations for the transaction that ends the step.
func (k workRows) storeLinks(ctx context.Context, c *checkpoint, addresses []string,
	most int) (rest []storage.Op, err error) {
	c.Token, c.Slice, c.Offset = run.Token(), 0, 0
	for _, text := range cut(addresses, most) {
		if len(rest) == linkRows {
			if _, err := k.runs.Table.Transact(ctx, rest...); err != nil {
				return nil, err
			}
			rest = nil
		}
		rest = append(rest, storage.Op{Kind: storage.Upsert, Entity: storage.Entity{
			Key: linksKey(c, c.Slices), Props: storage.Properties{"links": []byte(text)},
		}})
		c.Slices++
	}
	if c.Slices == 0 {
		c.Token = ""
	}
	return rest, nil
}

// loadLinks reads the next slice. It returns nil when another process has finished that slice.
func (k workRows) loadLinks(ctx context.Context, c *checkpoint) ([]string, error) {
	e, err := k.runs.Table.Get(ctx, linksKey(c, c.Slice))
	if fault.Is(err, fault.NotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	text, _ := e.Props["links"].([]byte)
	return strings.Split(string(text), "\n"), nil
}

// dropOwnLinks removes the links that this step wrote, when another process has ended the same step first. The
// argument ops holds the step's operations, which were not committed; a step without operations has written no links.
func (k workRows) dropOwnLinks(ctx context.Context, c *checkpoint, ops []storage.Op) error {
	if len(ops) == 0 || c.Token == "" || c.Slice > 0 || c.Offset > 0 {
		return nil
	}
	return k.drop(ctx, linksPrefix(c.Run, c.Source)+c.Token+"|")
}

// dropLinks removes the remaining links of a source, or of all sources when source is empty.
func (k workRows) dropLinks(ctx context.Context, run, source string) error {
	prefix := linksPrefix(run, source)
	if source == "" {
		prefix = "links|" + run + "|"
	}
	return k.drop(ctx, prefix)
}

// drop removes the rows whose keys begin with a prefix.
func (k workRows) drop(ctx context.Context, prefix string) error {
	q := k.runs.Prefix(prefix)
	q.Select = []string{"run"}
	return run.Drop(ctx, k.runs.Table, q)
}
