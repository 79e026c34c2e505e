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

// A filled index holds a document that says so and names the model of its vectors. A new index does not have it,
// whichever program created the index. So there is no step between creating an index and recording that it is empty,
// in which a crash could do harm.
const (
	kindMarker = "marker" // neither chunk, page nor image; no search finds it
	filledKey  = "filled" // cannot be the key of a page, chunk or image
)

// Begun returns a name of this index until [Index.Filled] records that it is filled with vectors of the model that it
// was opened for; "" after that. All processes that open the index get the same name, and it changes whenever the
// index is filled or created. Begun costs one request, and a second if there is a name. A marker written seconds ago
// may not be visible yet; then the name is the previous one.
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

// Filled records, after Begun returned a name, that all pages are certain to be put into the index. It may be
// repeated.
func (ix *Index) Filled(ctx context.Context, name string) (err error) {
	defer fault.Wrap(&err, "azureaisearch.Filled(%s)", ix.service.name)
	marker := object{"id": filledKey, "kind": kindMarker, "uid": ix.markerText(), "url": name}
	return ix.service.apply(ctx, []action{{kind: "upload", document: marker}})
}
