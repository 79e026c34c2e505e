package sqlitesearch

import (
	"maps"
	"slices"

	"github.com/tidemark/tidemark/pkg/search"
	"github.com/tidemark/tidemark/pkg/search/sqlitesearch/tokens"
)

// picture is a stored image.
type picture struct {
	search.Image
	ordinal int
}

// replaceImages writes the images that differ. It costs nothing if the page neither had nor gets images.
func (w *writer) replaceImages(page stored, want []search.Image) error {
	if page.images == 0 && len(want) == 0 {
		return nil
	}
	old, err := w.readImages(page.row)
	if err != nil {
		return err
	}
	for i, img := range want {
		p := picture{plainImage(img), i}
		if was, found := old[p.ID]; !found || was != p {
			if err := w.putImage(page.row, p); err != nil {
				return err
			}
		}
		delete(old, p.ID)
	}
	for _, id := range slices.Sorted(maps.Keys(old)) {
		if err := w.exec("DELETE FROM images WHERE page = ? AND id = ?", page.row, id); err != nil {
			return err
		}
	}
	if page.images == len(want) {
		return nil
	}
	return w.exec("UPDATE pages SET images = ? WHERE rowid = ?", len(want), page.row)
}

func plainImage(img search.Image) search.Image {
	return search.Image{ID: img.ID, Src: tokens.Plain(img.Src), Alt: tokens.Plain(img.Alt), Title: tokens.Plain(img.Title),
		Caption: tokens.Plain(img.Caption)}
}

func (w *writer) readImages(page int64) (map[string]picture, error) {
	old := map[string]picture{}
	var p picture
	for err := range w.tx.Rows(w.ctx, "SELECT id, ordinal, src, alt, title, caption FROM images WHERE page = ?",
		[]any{page}, &p.ID, &p.ordinal, &p.Src, &p.Alt, &p.Title, &p.Caption) {
		if err != nil {
			return nil, err
		}
		old[p.ID] = p
	}
	return old, nil
}

func (w *writer) putImage(page int64, p picture) error {
	return w.exec("REPLACE INTO images (page, id, ordinal, src, alt, title, caption) VALUES (?, ?, ?, ?, ?, ?, ?)",
		page, p.ID, p.ordinal, p.Src, p.Alt, p.Title, p.Caption)
}
