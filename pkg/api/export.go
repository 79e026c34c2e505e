package api

import (
	"context"
	"errors"
	"fmt"
	"io"
)

// ItemExport exports all items that match a filter. Empty fields do not filter.
type ItemExport struct {
	Format string `json:"format,omitempty"` // csv (the default) or jsonl.
	Host   string `json:"host,omitempty"`   // Only items of this host.
	Status Status `json:"status,omitempty"` // Only items of this status.
	Tag    string `json:"tag,omitempty"`    // Only items that have this tag.
	Paused bool   `json:"paused,omitempty"` // Only items that are paused.
}

// ChangeExport exports all changes that match a [ChangeQuery].
type ChangeExport struct {
	Format   string  `json:"format,omitempty"`   // csv (the default) or jsonl.
	Since    string  `json:"since,omitempty"`    // As in GET changes.
	Until    string  `json:"until,omitempty"`    // A time or a date.
	Order    string  `json:"order,omitempty"`    // newest (the default) or oldest.
	Host     string  `json:"host,omitempty"`     // Only changes of this host.
	Tag      string  `json:"tag,omitempty"`      // Only changes of items that had this tag.
	Type     string  `json:"type,omitempty"`     // Only changes of this type: url, file or entry.
	Kind     string  `json:"kind,omitempty"`     // Only changes of these kinds, separated by commas.
	MinShare float64 `json:"minShare,omitempty"` // The smallest share of the text that must have changed, 0 to 1.
	Q        string  `json:"q,omitempty"`        // Words that must all occur in the title, the address or the passages.
	Unread   bool    `json:"unread,omitempty"`   // Only changes that the caller has not marked as read.
	Silenced string  `json:"silenced,omitempty"` // Changes hidden by the rules of a watch: false (the default), true or only.
}

// Export streams the answer of an export. It runs until ctx ends, regardless of the client's timeout.
func Export[Q any](ctx context.Context, c *Client, r Route[Q, []byte], q Q, to io.Writer) error {
	req, err := c.request(ctx, r.Endpoint, q)
	if err != nil {
		return err
	}
	patient := *c.hc
	patient.Timeout = 0
	res, err := c.do(&patient, req)
	if err != nil {
		return err
	}
	defer res.Body.Close()
	if res.StatusCode != r.Status {
		body, err := readBounded(res.Body, maxAnswerBytes)
		if err != nil {
			return fmt.Errorf("reading the answer of %s: %w", c.server, err)
		}
		return c.refusal(res, body)
	}
	if _, err = io.Copy(to, res.Body); errors.Is(err, io.ErrUnexpectedEOF) {
		err = fmt.Errorf("%s broke the export off: what was written is not all of it", c.server)
	}
	return err
}
