package browser

import (
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"github.com/tidemark/tidemark/pkg/content/field"
	"github.com/tidemark/tidemark/pkg/feed"
	"github.com/tidemark/tidemark/pkg/storage/sqlitestore"
)

// Changes of several days: how many the first page shows, and how many there are with those that are small.
const (
	fullDays     = 4
	shownChanges = 30
	allChanges   = 37
)

// fillDays writes changes of several days into an empty data folder: of texts, values and lists, problems, and small
// ones that are not told.
func fillDays(t *testing.T, data string) {
	t.Helper()
	store, err := sqlitestore.Open(filepath.Join(data, "store"), sqlitestore.Options{})
	must(t, err)
	defer store.Close()
	begin := time.Now().AddDate(0, 0, -fullDays)
	for i := range allChanges {
		at := begin.Add(time.Duration(i+1) * fullDays * 24 * time.Hour / (allChanges + 1))
		f := feed.Open(store, func() time.Time { return at })
		must(t, f.Create(t.Context()))
		must(t, f.Publish(t.Context(), feed.Group{ID: fmt.Sprintf("day%02d", i), Changes: []feed.Change{oneOfDays(i, at)}}))
	}
}

// oneOfDays makes the change with a number.
func oneOfDays(i int, at time.Time) feed.Change {
	host := []string{"council.example", "shop.example", "news.example", "jobs.example", "ferry.example"}[i%5]
	c := feed.Change{At: at, ItemID: fmt.Sprintf("url_%026d", i), Type: "url", Host: host, Kind: feed.Content,
		URL: fmt.Sprintf("https://%s/a/page/of/the/site/%d", host, i), Title: fmt.Sprintf("Meetings of committee %d", i)}
	was := fmt.Sprintf("The harbour opens at %d in the morning.", i)
	is := fmt.Sprintf("The harbour opens at %d at night.", i)
	switch i % 5 {
	case 1:
		c.Kind, c.Title = feed.Field, fmt.Sprintf("Storm lamp of brass, number %d", i)
		euros := func(n int) field.Moment {
			return field.Moment{Value: field.Value{Type: field.Money, Number: field.Decimal(fmt.Sprint(n)), Currency: "EUR"}}
		}
		c.Fields = []field.Change{{Name: field.Price, State: field.Found, Then: euros(89 + i), Now: euros(79 + i),
			Reported: true}}
		was, is = fmt.Sprintf("Price: %d EUR", 89+i), fmt.Sprintf("Price: %d EUR", 79+i)
	case 2:
		c.Kind, c.Why = feed.Beside, "the text beside it changed"
		c.Small = &feed.Small{Why: feed.SmallBeside, What: "a counter"}
		was, is = fmt.Sprintf("Read by %d people today.", i), fmt.Sprintf("Read by %d people today.", i+40)
		c.Title = "What a long title this page of the news has, as pages of news have, so that it fills more than one line"
	case 3:
		c.Kind, c.Entry = feed.Listed, &feed.Entry{Title: fmt.Sprintf("Ferryman, post %d", i), URL: c.URL + "/post"}
		c.Title, was, is = "Posts that are open", "", ""
	case 4:
		c.Kind, c.Why = feed.Failing, "HTTP 503 Service Unavailable"
		was, is = "", ""
	}
	if was != "" {
		c.WordsAdded, c.WordsRemoved, c.Share = 1, 1, .02
		c.Passages = []feed.Passage{{Text: was, Op: feed.Removed}, {Text: is, Op: feed.Added}}
	}
	return c
}
