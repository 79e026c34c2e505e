package azureaisearch

import (
	"context"
	"slices"

	"github.com/tidemark/tidemark/pkg/search"
)

// images returns the images of pages, by page, in page order. The page's own document stores the order, so that an
// image that moves within its page is not written again.
func (s *service) images(ctx context.Context, groups []group) (map[string][]search.Image, error) {
	var pages []string
	for _, g := range groups {
		pages = append(pages, pageKey(g.page))
	}
	order := map[string][]string{} // keys of images by page
	var keys []string
	err := s.each(ctx, in("id", pages), "id,images", func(d row) {
		page := pageOf(d.ID)
		for _, id := range d.Images {
			order[page] = append(order[page], imageKey(page, id))
		}
		keys = append(keys, order[page]...)
	})
	if err != nil {
		return nil, err
	}
	found := map[string]search.Image{}
	for part := range slices.Chunk(keys, maxRows) {
		err := s.each(ctx, in("id", part), "id,src,alt,title,caption", func(d row) {
			found[d.ID] = search.Image{Src: d.Src, Alt: d.Alt, Title: d.Title, Caption: d.Caption}
		})
		if err != nil {
			return nil, err
		}
	}
	return nested(order, found), nil
}

// nested groups images by page, in order.
func nested(order map[string][]string, found map[string]search.Image) map[string][]search.Image {
	images := map[string][]search.Image{}
	for page, keys := range order {
		for _, key := range keys {
			if img, there := found[key]; there {
				img.ID = key[len(imageKey(page, "")):]
				images[page] = append(images[page], img)
			}
		}
	}
	return images
}
