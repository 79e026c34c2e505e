package funchost

import (
	"encoding/base64"
	"strconv"
	"strings"
	"time"

	"github.com/tidemark/tidemark/pkg/storage"
)

// queueEnvelope encodes one delivery. With dataType binary the message is base64 of its bytes and
// adds nothing to the metadata; otherwise it is a double-encoded string whose JSON properties are
// spread over the metadata.
func queueEnvelope(f *function, m storage.Message, now time.Time) envelope {
	d := newBindingData()
	d.set("DequeueCount", strconv.Itoa(m.Dequeued))
	d.set("ExpirationTime", isoDate(m.Expires))
	d.set("InsertionTime", isoDate(m.Inserted))
	d.set("NextVisibleTime", isoDate(m.NextVisible))
	// A run by hand has no message behind it, and null metadata is left out.
	if m.ID != "" {
		d.text("Id", m.ID)
		d.text("PopReceipt", m.Receipt)
	}
	data := map[string]any{}
	if f.trigger.binary {
		data[f.trigger.name] = base64.StdEncoding.EncodeToString(m.Body)
	} else {
		data[f.trigger.name] = quoted(strings.ToValidUTF8(string(m.Body), "\uFFFD"))
		d.merge(m.Body)
	}
	return envelope{Data: data, Metadata: d.wire(f.name, now)}
}
