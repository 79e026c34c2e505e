package activity

import (
	"strconv"
	"strings"
	"time"

	"github.com/tidemark/tidemark/pkg/storage"
)

const dayLayout = "2006-01-02"

func (l *Log) entity(hour time.Time, c Counts) storage.Entity {
	return storage.Entity{
		Key: storage.Key{Partition: hour.Format(dayLayout), Row: hour.Format("15") + "|" + l.o.Process},
		Props: storage.Properties{
			"checks": c.Checks, "changes": c.Changes, "errors": c.Errors, "bytes": c.Bytes, "indexed": c.Indexed,
		},
	}
}

// parse reads a row. The result ok is false for a row of another kind.
func parse(e storage.Entity) (hour time.Time, c Counts, ok bool) {
	day, err := time.Parse(dayLayout, e.Partition)
	text, _, _ := strings.Cut(e.Row, "|")
	h, errHour := strconv.Atoi(text)
	if err != nil || errHour != nil || h < 0 || h > 23 {
		return time.Time{}, Counts{}, false
	}
	n := func(name string) int64 { v, _ := e.Props[name].(int64); return v }
	return day.Add(time.Duration(h) * time.Hour), Counts{n("checks"), n("changes"), n("errors"), n("bytes"),
		n("indexed")}, true
}
