package main

import (
	"errors"
	"fmt"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/app"
	"github.com/tidemark/tidemark/pkg/feed"
)

const (
	pageRules    = 10_000
	followRounds = 21
)

// following measures a round of the follower, which decides what is sent, with ten rules for one page each and with ten
// thousand: a round without a change, with a change of a page that has no rule, and with one of a page that has one.
func (b *bench) following() error {
	section(fmt.Sprintf("A round of the follower, embedded store (medians of %d; load %s)", followRounds, load()),
		"rules for one page", "nothing new, ms", "a change without a rule, ms", "a change with a rule, ms",
		"the last to that of 10 rules")
	var few time.Duration
	for _, rules := range []int{10, pageRules} {
		took, err := b.followed(rules)
		if err != nil {
			return err
		}
		if few == 0 {
			few = took[2]
		}
		row(rules, ms(took[0]), ms(took[1]), ms(took[2]), float64(took[2])/float64(few))
	}
	return nil
}

// followed returns the median durations of the three kinds of rounds.
func (b *bench) followed(rules int) (medians [3]time.Duration, err error) {
	name := fmt.Sprintf("following-%d", rules)
	store, err := app.OpenStore(settingsOf(map[string]string{"STORAGE": app.Embedded, "TIDEMARK_DATA": b.temp(name)}), nil)
	if err != nil {
		return medians, err
	}
	defer func() { err = errors.Join(err, store.Close()) }()
	c, err := b.assemble(store, name)
	if err != nil {
		return medians, err
	}
	defer c.Index.Close()
	c.Feed.OnPublish(nil) // the rounds below are to find the changes
	if _, err := c.Notify.SaveChannel(b.ctx, api.ChannelSpec{Name: "ops",
		ChannelSettings: api.ChannelSettings{Kind: "webhook", URL: "https://ops.example/hook"}}, true); err != nil {
		return medians, err
	}
	pages, err := c.saveRules(rules)
	if err != nil {
		return medians, err
	}
	var took [3][]time.Duration
	for n := range followRounds {
		for kind, item := range []string{"", "url_of_no_rule", pages[n%rules]} {
			if item != "" {
				change := feed.Change{At: time.Now(), Kind: feed.Content, ItemID: item, Host: lastHost, URL: "https://a.example/"}
				group := feed.Group{ID: fmt.Sprintf("f%d-%d", n, kind), Changes: []feed.Change{change}}
				if err := c.Feed.Publish(b.ctx, group); err != nil {
					return medians, err
				}
			}
			began := time.Now()
			report, err := c.Notify.Follower.Follow(b.ctx)
			took[kind] = append(took[kind], time.Since(began))
			if told := kind == 2; err != nil || (report.Deliveries == 1) != told {
				return medians, fmt.Errorf("a change of %q leads to %+v: %w", item, report, err)
			}
		}
	}
	for kind := range took {
		medians[kind] = percentile(took[kind], 50)
	}
	return medians, nil
}

// saveRules registers n pages of one host and makes a rule for each. It returns the ids of the pages.
func (c *counted) saveRules(n int) (ids []string, err error) {
	urls := make([]string, n)
	for i := range urls {
		urls[i] = fmt.Sprintf("https://%s/page/%d", lastHost, i)
	}
	if ids, err = c.registered(urls); err != nil {
		return nil, err
	}
	g, ctx := errgroup.WithContext(c.ctx)
	g.SetLimit(8)
	for _, id := range ids {
		g.Go(func() error {
			spec := api.RuleSpec{Name: id, Channels: []string{"ops"}}
			spec.Filter.ItemID = id
			_, err := c.Notify.SaveRule(ctx, "", spec)
			return err
		})
	}
	return ids, g.Wait()
}
