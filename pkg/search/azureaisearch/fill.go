package azureaisearch

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"net/http"

	"github.com/tidemark/tidemark/pkg/fault"
)

// An index that is filled holds a document that says so; an index that was just made, by whomever,
// does not. So nobody can die between making an index and marking it as empty.
const (
	kindMarker = "marker" // neither chunk, page nor image: no search sees it, nor has it a page
	filledKey  = "filled" // no key of a page, chunk or image
)

// Begun names this index while nobody has seen to it that it is filled; "" after that. All who open the
// same index are told the same name, and one that is deleted and made again has another. It costs
// one request when the index is filled, and another when it is not. A marker written seconds ago may
// not be seen yet; then the name is that of before.
func (ix *Index) Begun(ctx context.Context) (name string, err error) {
	defer fault.Wrap(&err, "azureaisearch.Begun(%s)", ix.name)
	found, err := ix.query(ctx, query{Search: "*", Filter: "kind eq '" + kindMarker + "'", Select: "id", Top: 1})
	if err != nil || len(found.Value) > 0 {
		return "", err
	}
	var have struct {
		ETag string `json:"@odata.etag"`
	}
	if _, err := ix.call(ctx, request{method: http.MethodGet}, &have); err != nil {
		return "", err
	}
	sum := sha256.Sum256([]byte(ix.endpoint + "\n" + ix.name + "\n" + have.ETag))
	return hex.EncodeToString(sum[:8]), nil
}

// Filled says that it is certain that all pages will be put into the index. It may be repeated.
func (ix *Index) Filled(ctx context.Context) (err error) {
	defer fault.Wrap(&err, "azureaisearch.Filled(%s)", ix.name)
	return ix.apply(ctx, []action{{kind: "upload", document: object{"id": filledKey, "kind": kindMarker}}})
}
