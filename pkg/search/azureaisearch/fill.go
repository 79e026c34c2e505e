package azureaisearch

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"strings"

	"github.com/tidemark/tidemark/pkg/base/fault"
)

// A filled index holds a marker document. The marker records that the index is filled, and the model of its vectors.
// A new index has no marker, whichever program created it. Therefore no crash can come between creating an index and
// recording that it is empty.
const (
	kindMarker = "marker" // not a chunk, page or image, so no search finds the marker
	filledKey  = "filled" // cannot be the key of a page, chunk or image
)

// Begun returns a name for this index while the index is not filled with vectors of the model that it was opened for.
// Once [Index.Filled] records that it is filled, Begun returns "". All processes that open the index get the same
// name. The name changes whenever the index is filled or created. Begun sends one request, and a second one if there
// is a name. A marker that was written seconds ago may not be visible yet; then Begun still returns the previous
// name.
func (ix *Index) Begun(ctx context.Context) (name string, err error) {
	defer fault.Wrap(&err, "azureaisearch.Begun(%s)", ix.service.name)
	q := query{Search: "*", Filter: "kind eq '" + kindMarker + "'", Select: "id,uid,url", Top: 1}
	found, err := ix.service.query(ctx, q)
	if err != nil {
		return "", err
	}
	var last row
	if len(found.Value) > 0 {
		if last = found.Value[0]; last.UID == ix.markerText() {
			return "", nil
		}
	}
	var have struct {
		ETag string `json:"@odata.etag"`
	}
	if _, err := ix.service.call(ctx, request{method: http.MethodGet}, &have); err != nil {
		return "", err
	}
	sum := sha256.Sum256([]byte(strings.Join([]string{ix.service.endpoint, ix.service.name, have.ETag, last.URL,
		ix.markerText()}, "\n")))
	return hex.EncodeToString(sum[:8]), nil
}

// markerText returns the marker's description of the vectors.
func (ix *Index) markerText() string { return "vectors of " + cmp.Or(ix.model, "no model") }

// Filled records that the index is filled. Callers pass the name that Begun returned, once all pages are certain to
// be put into the index. Repeating the call is harmless.
func (ix *Index) Filled(ctx context.Context, name string) (err error) {
	defer fault.Wrap(&err, "azureaisearch.Filled(%s)", ix.service.name)
	marker := object{"id": filledKey, "kind": kindMarker, "uid": ix.markerText(), "url": name}
	return ix.service.apply(ctx, []action{{kind: "upload", document: marker}})
}
