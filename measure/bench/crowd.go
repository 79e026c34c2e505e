package main

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/tidemark/tidemark/handlers"
	"github.com/tidemark/tidemark/pkg/api"
)

const (
	crowd      = 32 // clients at once
	crowdHosts = 100
	crowdAsks  = 20 // requests of each client
)

// crowd measures SearchStatus for one client and for many at once, over Azurite, which answers one request at a time.
func (b *bench) crowd() error {
	c, err := b.onAzurite("crowd")
	if err != nil {
		return err
	}
	defer c.stop()
	l := &listed{ctx: b.ctx, hosts: crowdHosts, Registry: c.Registry}
	for h := range crowdHosts {
		if err := l.fillHost(hostName(h), hostItems, 0); err != nil {
			return err
		}
	}
	srv := httptest.NewServer(handlers.New(handlers.Options{
		Open: func(context.Context) (*handlers.Services, error) { return c.Services, nil }}))
	defer srv.Close()
	section(fmt.Sprintf("SearchStatus of %d hosts, on Azurite", crowdHosts), "clients at once", "storage requests each",
		"ms, median", "99th percentile to median", "median to that of one")
	var one time.Duration
	for _, clients := range []int{1, crowd} {
		before := c.counter.Snapshot()
		took, err := askStatus(b.ctx, srv.URL, clients)
		if err != nil {
			return err
		}
		median := percentile(took, 50)
		if one == 0 {
			one = median
		}
		n := c.counter.Snapshot().Sub(before)
		row(clients, float64(n.Table+n.Queue)/float64(len(took)), ms(median),
			float64(percentile(took, 99))/float64(median), float64(median)/float64(one))
	}
	return nil
}

// askStatus lets many clients request the status at the same time, each of them repeatedly. It returns the durations
// of all requests.
func askStatus(ctx context.Context, server string, clients int) ([]time.Duration, error) {
	took := make([]time.Duration, clients*crowdAsks)
	var g errgroup.Group
	client := api.NewClient(server, "", &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: clients}})
	for i := range clients {
		g.Go(func() error {
			for j := range crowdAsks {
				began := time.Now()
				if _, err := api.GetStatus.Call(ctx, client, api.StatusQuery{}); err != nil {
					return err
				}
				took[i*crowdAsks+j] = time.Since(began)
			}
			return nil
		})
	}
	return took, g.Wait()
}
