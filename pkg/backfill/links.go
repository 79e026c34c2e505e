package backfill

import (
	"context"
	"fmt"
	"strings"

	"github.com/tidemark/tidemark/pkg/fault"
	"github.com/tidemark/tidemark/pkg/storage"
)

// Fewer in tests.
var (
	// sliceLinks is how many links one step looks at, and so after how many the run's row tells (E12).
	sliceLinks = 50
	// linkRows is how many rows of links go into one transaction of at most 4 MiB.
	linkRows = 24
)

const (
	// sliceBytes bounds the links in one column, which may have 64 KiB.
	sliceBytes = 60_000
	// dropRows is how many rows one transaction deletes.
	dropRows = 90
)

func linksPrefix(run, source string) string { return "links|" + run + "|" + source + "|" }

func linksKey(l *lane, n int) storage.Key {
	return key(fmt.Sprintf("%s%s|%04d", linksPrefix(l.run, l.source), l.Token, n))
}

// cut divides addresses into what one step looks at. One that fills a row alone was none.
func cut(addresses []string) (out []string) {
	var b strings.Builder
	n := 0
	for _, a := range addresses {
		if len(a) >= sliceBytes {
			continue
		}
		if n == sliceLinks || b.Len()+len(a)+1 > sliceBytes {
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

// storeLinks keeps the links of a document under a token of this step's own, so that of two steps that
// read it at once only the one counts that ends first. The last rows are left to the transaction
// that ends the step, which is all of them for most documents.
func (s *Service) storeLinks(ctx context.Context, l *lane, addresses []string) (rest []storage.Op, err error) {
	l.Token, l.Slice, l.Offset = s.o.Token(), 0, 0
	for _, text := range cut(addresses) {
		if len(rest) == linkRows {
			if _, err := s.rows.Transact(ctx, rest...); err != nil {
				return nil, err
			}
			rest = nil
		}
		rest = append(rest, storage.Op{Kind: storage.Upsert, Entity: storage.Entity{
			Key: linksKey(l, l.Slices), Props: storage.Properties{"links": []byte(text)},
		}})
		l.Slices++
	}
	if l.Slices == 0 {
		l.Token = ""
	}
	return rest, nil
}

// loadLinks reads the slice that the lane is at; nil when somebody else is through with it.
func (s *Service) loadLinks(ctx context.Context, l *lane) ([]string, error) {
	e, err := s.rows.Get(ctx, linksKey(l, l.Slice))
	if fault.Is(err, fault.NotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	text, _ := e.Props["links"].([]byte)
	return strings.Split(string(text), "\n"), nil
}

// dropLinks removes what is left of the links of a source, or of all when it is empty.
func (s *Service) dropLinks(ctx context.Context, run, source string) error {
	prefix := linksPrefix(run, source)
	if source == "" {
		prefix = "links|" + run + "|"
	}
	return s.dropRange(ctx, prefix)
}

// dropToken removes the links of a step that was not the first to end.
func (s *Service) dropToken(ctx context.Context, l *lane, out outcome) error {
	if len(out.ops) == 0 || l.Token == "" || l.Slice > 0 || l.Offset > 0 {
		return nil
	}
	return s.dropRange(ctx, linksPrefix(l.run, l.source)+l.Token+"|")
}

func (s *Service) dropRange(ctx context.Context, prefix string) error {
	var ops []storage.Op
	flush := func() error {
		if len(ops) == 0 {
			return nil
		}
		_, err := s.rows.Transact(ctx, ops...)
		if ops = nil; fault.Is(err, fault.NotFound) {
			return nil // somebody else does the same
		}
		return err
	}
	q := storage.Query{Partition: partition, RowFrom: prefix, RowTo: prefix[:len(prefix)-1] + afterBar, Select: []string{"run"}}
	for e, err := range s.rows.Query(ctx, q) {
		if err != nil {
			return err
		}
		ops = append(ops, storage.Op{Kind: storage.Delete, Entity: storage.Entity{Key: e.Key, ETag: storage.AnyETag}})
		if len(ops) == dropRows {
			if err := flush(); err != nil {
				return err
			}
		}
	}
	return flush()
}
