package registry

import (
	"context"
	"time"

	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/storage"
	"github.com/tidemark/tidemark/pkg/storage/row"
)

// maxRobotsText bounds the stored text, in bytes (RFC 9309 §2.5 requires at least 500 KiB).
const maxRobotsText = 512 * 1024

// Robots is the cached robots.txt of one origin, with the data that is needed to refresh it.
type Robots struct {
	FetchedAt    time.Time `col:"fetchedAt"`
	Expires      time.Time `col:"expires"`
	GoodAt       time.Time `col:"goodAt"` // when the site last confirmed Text
	Failures     int       `col:"failures"`
	FailingSince time.Time `col:"failingSince"`
	Verdict      string    `col:"verdict"`
	Reason       string    `col:"reason"`
	StatusCode   int       `col:"statusCode"`
	ETag         string    `col:"httpEtag"`
	LastModified string    `col:"httpLastModified"`
	Text         []byte    `col:"text,gzip,must"`
}

func robotsRow(scheme, host string) string { return robotsPrefix + scheme + "|" + host }

var robotsRows = row.Of[Robots]()

// Robots reads the cached robots.txt of an origin. It returns a zero Robots if there is none.
func (r *Hosts) Robots(ctx context.Context, partition, scheme, host string) (Robots, error) {
	out, _, err := robotsRows.Load(ctx, r.s.Items, storage.Key{Partition: partition, Row: robotsRow(scheme, host)})
	return out, err
}

// PutRobots replaces the cached robots.txt of an origin. The last writer wins, because each writer has just requested
// the file from the site.
func (r *Hosts) PutRobots(ctx context.Context, partition, scheme, host string, v Robots) error {
	if len(v.Text) > maxRobotsText {
		return fault.New(fault.TooLarge, "robots.txt of %d bytes", len(v.Text))
	}
	_, err := r.s.Items.Transact(ctx, storage.Op{Kind: storage.Upsert, Entity: storage.Entity{
		Key: storage.Key{Partition: partition, Row: robotsRow(scheme, host)}, Props: robotsRows.Encode(&v),
	}})
	return err
}
