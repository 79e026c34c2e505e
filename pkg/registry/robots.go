package registry

import (
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"io"
	"time"

	"github.com/tidemark/tidemark/pkg/fault"
	"github.com/tidemark/tidemark/pkg/storage"
)

// maxRobotsText bounds what is read back from a row (RFC 9309 §2.5 asks for at least 500 KiB).
const maxRobotsText = 512 * 1024

// Robots is the cached robots.txt of one origin, with what is needed to refresh it.
type Robots struct {
	FetchedAt    time.Time `col:"fetchedAt"`
	Expires      time.Time `col:"expires"`
	GoodAt       time.Time `col:"goodAt"` // when Text was last confirmed by the site
	Failures     int       `col:"failures"`
	FailingSince time.Time `col:"failingSince"`
	Verdict      string    `col:"verdict"`
	Reason       string    `col:"reason"`
	StatusCode   int       `col:"statusCode"`
	ETag         string    `col:"httpEtag"`
	LastModified string    `col:"httpLastModified"`
	Text         []byte    // stored compressed, over as many columns as it needs
}

var robotsColumns = columnsOf(Robots{})

// Robots reads the cache of an origin; a zero value if there is none.
func (r *Registry) Robots(ctx context.Context, partition, scheme, host string) (Robots, error) {
	e, err := r.items.Get(ctx, storage.Key{Partition: partition, Row: robotsRow(scheme, host)})
	if fault.Is(err, fault.NotFound) {
		return Robots{}, nil
	}
	if err != nil {
		return Robots{}, err
	}
	var out Robots
	decode(robotsColumns, e.Props, &out)
	out.Text, err = unpack(e.Props)
	return out, err
}

// PutRobots replaces the cache of an origin. The last writer wins: whoever writes has just
// asked the site.
func (r *Registry) PutRobots(ctx context.Context, partition, scheme, host string, v Robots) error {
	props := encode(robotsColumns, v)
	if err := pack(props, v.Text); err != nil {
		return err
	}
	_, err := r.items.Transact(ctx, storage.Op{Kind: storage.Upsert, Entity: storage.Entity{
		Key: storage.Key{Partition: partition, Row: robotsRow(scheme, host)}, Props: props,
	}})
	return err
}

// textColumn names the columns that a compressed text is spread over: one holds 64 KiB.
func textColumn(i int) string { return fmt.Sprintf("text%d", i) }

func pack(props storage.Properties, text []byte) error {
	const columnBytes = 60 * 1024
	if len(text) == 0 {
		return nil
	}
	if len(text) > maxRobotsText {
		return fault.New(fault.TooLarge, "robots.txt of %d bytes", len(text))
	}
	var buf bytes.Buffer
	w := gzip.NewWriter(&buf)
	_, _ = w.Write(text) // a bytes.Buffer takes everything
	_ = w.Close()
	for i := 0; buf.Len() > 0; i++ {
		props[textColumn(i)] = bytes.Clone(buf.Next(columnBytes))
	}
	return nil
}

func unpack(props storage.Properties) ([]byte, error) {
	var packed []byte
	for i := 0; ; i++ {
		part, ok := props[textColumn(i)].([]byte)
		if !ok {
			break
		}
		packed = append(packed, part...)
	}
	if len(packed) == 0 {
		return nil, nil
	}
	z, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		return nil, fmt.Errorf("stored robots.txt: %w", err)
	}
	return io.ReadAll(io.LimitReader(z, maxRobotsText))
}
