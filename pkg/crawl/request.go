package crawl

import (
	"time"

	"github.com/tidemark/tidemark/pkg/fetch"
	"github.com/tidemark/tidemark/pkg/fetch/file/credential"
	"github.com/tidemark/tidemark/pkg/registry"
)

// request is what to ask for, and whether "not modified" would do for an answer (A8). A credential goes nowhere but
// to the origin that its setting names (A24).
func (m memory) request(
	it *registry.Item, setting func(string) string, now time.Time,
) (req fetch.Request, conditional bool, err error) {
	req.URL = fetchURL(it)
	if it.Credential != "" {
		if req.Secret, err = credential.ForPage(setting, it.Credential, req.URL); err != nil {
			return req, false, err
		}
	}
	if u := &it.Unreadable; m.knowsUnreadable(it, now) {
		req.ETag, req.LastModified, req.ValidFor = u.ETag, u.LastModified, u.FinalURL
		return req, false, nil
	}
	if m.conditional(it) && !headerExcludes(it) && !it.Collapse.Waits() { // then only a body says enough
		req.ETag, req.LastModified, req.ValidFor = it.HTTPEtag, it.HTTPLastModified, it.HTTPFinalURL
	}
	return req, req.ETag != "" || req.LastModified != "", nil
}
