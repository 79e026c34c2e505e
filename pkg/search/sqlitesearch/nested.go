package sqlitesearch

import (
	"context"

	"github.com/tidemark/tidemark/pkg/search"
)

// images reads the images that are nested under a result.
func (s *searcher) images(ctx context.Context, page int64) ([]search.Image, error) {
	var images []search.Image
	var img search.Image
	for err := range s.tx.Rows(ctx,
		"SELECT id, src, alt, title, caption FROM images WHERE page = ? ORDER BY ordinal LIMIT ?",
		[]any{page, search.MaxNested}, &img.ID, &img.Src, &img.Alt, &img.Title, &img.Caption) {
		if err != nil {
			return nil, err
		}
		images = append(images, img)
	}
	return images, nil
}
