package verdict

import (
	"time"

	"github.com/tidemark/tidemark/pkg/fetch"
	"github.com/tidemark/tidemark/pkg/fetch/file/credential"
	"github.com/tidemark/tidemark/pkg/registry"
)

// Request returns the request for a page. The request is conditional if the answer "not modified" would be enough
// (A8). A credential is sent only to the origin that its setting specifies (A24).
func (b Basis) Request(
	it *registry.Item, setting func(string) string, now time.Time,
) (req fetch.Request, conditional bool, err error) {
	req.URL, req.Refresh = FetchURL(it), true
	if it.Credential != "" {
		if req.Secret, err = credential.ForPage(setting, it.Credential, req.URL); err != nil {
			return req, false, err
		}
	}
	if u := &it.Unreadable; b.knowsUnreadable(it, now) {
		req.ETag, req.LastModified, req.ValidFor = u.ETag, u.LastModified, u.FinalURL
		return req, false, nil
	}
	// If this is false, the body itself is needed.
	if b.conditional(it) && !headerExcludes(it) && !it.Collapse.Waits() && !b.needsWhole(it, now) &&
		!b.Rendering.needsBody(it, now) {
		req.ETag, req.LastModified, req.ValidFor = it.HTTPEtag, it.LastModified(), it.HTTPFinalURL
	}
	return req, req.ETag != "" || req.LastModified != "", nil
}
