package funchost

import (
	"encoding/base64"
	"strconv"
	"time"

	"github.com/tidemark/tidemark/pkg/storage"
)

// queueEnvelope encodes one delivery as the real host does with dataType binary: the bytes of the message are in
// base64.
func queueEnvelope(f *function, m storage.Message, now time.Time) envelope {
	metadata := map[string]any{
		"DequeueCount":    strconv.Itoa(m.Dequeued),
		"ExpirationTime":  isoDate(m.Expires),
		"InsertionTime":   isoDate(m.Inserted),
		"NextVisibleTime": isoDate(m.NextVisible),
		"Id":              quoted(m.ID),
		"PopReceipt":      quoted(m.Receipt),
	}
	data := map[string]any{f.trigger.Name: base64.StdEncoding.EncodeToString(m.Body)}
	return envelope{Data: data, Metadata: withSys(metadata, f.name, now)}
}
