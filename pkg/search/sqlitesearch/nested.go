package sqlitesearch

import (
	"context"

	"github.com/tidemark/tidemark/pkg/search"
)

// images reads the images that are nested under a result.
func (s *searcher) images(ctx context.Context, page int64) ([]search.Image, error) {
	rows, err := s.tx.QueryContext(ctx,
		"SELECT id, src, alt, title, caption FROM images WHERE page = ? ORDER BY ordinal LIMIT ?", page, search.MaxNested)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var images []search.Image
	for rows.Next() {
		var img search.Image
		if err := rows.Scan(&img.ID, &img.Src, &img.Alt, &img.Title, &img.Caption); err != nil {
			return nil, err
		}
		images = append(images, img)
	}
	return images, rows.Err()
}
