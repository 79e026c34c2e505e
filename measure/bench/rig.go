package main

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"net"
	"os"
	"os/exec"
	"runtime"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore/policy"
	"github.com/tidemark/tidemark/handlers"
	"github.com/tidemark/tidemark/pkg/app"
	"github.com/tidemark/tidemark/pkg/base/defaults"
	"github.com/tidemark/tidemark/pkg/local/azurite"
	"github.com/tidemark/tidemark/pkg/search/sqlitesearch"
	"github.com/tidemark/tidemark/pkg/storage"
	"github.com/tidemark/tidemark/pkg/storage/azure"
	"golang.org/x/sync/errgroup"
)

// counted is Tidemark in this process. Over Azurite it counts every storage request.
type counted struct {
	*handlers.Services
	ctx     context.Context
	counter *azure.Counter // nil when requests are not counted
	conn    string         // connection string of Azurite
	stop    func()         // ends Azurite
}

func settingsOf(values map[string]string) func(string) string {
	return func(name string) string { return values[name] }
}

// onAzurite starts an empty Azurite, in memory, and Tidemark over it.
func (b *bench) onAzurite(data string) (*counted, error) {
	az, err := azurite.Start(b.ctx, azurite.Options{ToolDir: b.tools})
	if err != nil {
		return nil, err
	}
	c, err := b.over(az.ConnectionString(), data)
	if err != nil {
		az.Stop()
		return nil, err
	}
	c.stop = az.Stop
	return c, nil
}

// over assembles Tidemark on a storage account.
func (b *bench) over(conn, data string) (*counted, error) {
	counter := &azure.Counter{}
	get := settingsOf(map[string]string{"AzureWebJobsStorage": conn})
	store, err := azure.Open(get, azure.Options{Policies: []policy.Policy{counter.Policy()}})
	if err != nil {
		return nil, err
	}
	c, err := b.assemble(store, data)
	if err != nil {
		return nil, err
	}
	c.counter, c.conn = counter, conn
	return c, nil
}

// onDisk assembles Tidemark over an empty embedded store.
func (b *bench) onDisk(data string) (*counted, error) {
	get := settingsOf(map[string]string{"STORAGE": app.Embedded, "TIDEMARK_DATA": b.temp(data)})
	store, err := app.OpenStore(get, slog.New(slog.DiscardHandler))
	if err != nil {
		return nil, err
	}
	return b.assemble(store, data)
}

// assemble assembles Tidemark on a store, with a data folder of its own.
func (b *bench) assemble(store storage.Store, data string) (*counted, error) {
	get := settingsOf(map[string]string{
		"CRAWL_ALLOW_HOSTS": "127.0.0.0/8", "TIDEMARK_DATA": b.temp(data), "EMAIL_IMPORT_ROOT": b.dir,
	})
	cfg, err := app.Load(get)
	if err != nil {
		return nil, err
	}
	index, err := sqlitesearch.Open(b.temp(data+".db"), sqlitesearch.Options{})
	if err != nil {
		return nil, err
	}
	c := &counted{ctx: b.ctx}
	c.Services, err = app.Assemble(b.ctx, cfg, get, store, index, slog.New(slog.DiscardHandler))
	return c, err
}

// drain processes a queue until it is empty, as the Functions host does: it receives some messages, runs call on each
// of them, and deletes it. When the queue is empty, more reports whether to continue.
func (c *counted) drain(queue string, atOnce int, call func([]byte) error, more func() (bool, error)) error {
	q := c.Store.Queue(queue)
	for {
		messages, err := q.Receive(c.ctx, atOnce, 10*time.Minute)
		if err != nil {
			return err
		}
		if len(messages) == 0 {
			if again, err := more(); err != nil || !again {
				return err
			}
			continue
		}
		var g errgroup.Group
		for _, m := range messages {
			g.Go(func() error {
				if err := call(m.Body); err != nil {
					return err
				}
				return q.Delete(c.ctx, m)
			})
		}
		if err := g.Wait(); err != nil {
			return err
		}
	}
}

// spent is the cost of some work.
type spent struct {
	time.Duration
	cpu          time.Duration // processor time of this process
	azure.Counts               // storage requests; zero when there is no counter
	objects      uint64        // number of objects allocated
}

// per(n, things) divides n by a number of things.
func per[N int64 | uint64](n N, things int) float64 { return float64(n) / float64(things) }

// rate returns the number of things done per second.
func (s spent) rate(things int) float64 { return float64(things) / s.Seconds() }

// measure returns the cost of some work. The counter may be nil.
func measure(counter *azure.Counter, work func() error) (s spent, err error) {
	var before, after runtime.MemStats
	if counter != nil {
		s.Counts = counter.Snapshot()
	}
	runtime.ReadMemStats(&before)
	began, cpu := time.Now(), processorTime()
	err = work()
	s.Duration, s.cpu = time.Since(began), processorTime()-cpu
	runtime.ReadMemStats(&after)
	s.objects = after.Mallocs - before.Mallocs
	if counter != nil {
		s.Counts = counter.Snapshot().Sub(s.Counts)
	}
	return s, err
}

// bestOf does several kinds of work in alternation, and returns the cost of the fastest round of each.
func bestOf(rounds int, counter *azure.Counter, works ...func() error) ([]spent, error) {
	best := make([]spent, len(works))
	for round := range rounds {
		for i, work := range works {
			s, err := measure(counter, work)
			if err != nil {
				return nil, err
			}
			if round == 0 || s.Duration < best[i].Duration {
				best[i] = s
			}
		}
	}
	return best, nil
}

// wait polls until ready returns true.
func (b *bench) wait(limit, every time.Duration, what string, ready func() (bool, error)) error {
	for deadline := time.Now().Add(limit); ; {
		yes, err := ready()
		switch {
		case yes:
			return nil
		case time.Now().After(deadline):
			return fmt.Errorf("%s: not in %s: %w", what, limit, err)
		}
		if err := defaults.Pause(b.ctx, every); err != nil {
			return err
		}
	}
}

// alone maps names to kinds of work. Each kind runs in a separate process, so that nothing else adds to the memory of
// that process.
var alone = map[string]func(ctx context.Context, args []string) (any, error){
	"read-type": readType, "work-on-mails": workOnMails, "index-pages": indexPages, "ask-index": askIndex,
	"crawl-in-memory": crawlListed,
}

// again(result, work) starts this executable a second time to do the named work, and decodes its output.
func (b *bench) again(result any, work string, args ...string) error {
	exe, err := os.Executable()
	if err != nil {
		return err
	}
	return b.againBy(exe, result, work, args...)
}

// againBy is again with the given executable.
func (b *bench) againBy(exe string, result any, work string, args ...string) error {
	cmd := exec.CommandContext(b.ctx, exe, append([]string{work}, args...)...)
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		return err
	}
	return json.Unmarshal(out, result)
}

// aloneMain does the requested work and ends the process, if this process was started to do so.
func aloneMain() {
	if len(os.Args) < 2 || alone[os.Args[1]] == nil {
		return
	}
	result, err := alone[os.Args[1]](context.Background(), os.Args[2:])
	if err == nil {
		err = json.NewEncoder(os.Stdout).Encode(result)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(0)
}

// freePorts returns the first of n consecutive free ports.
func freePorts(n int) (int, error) {
	const tries = 100
	for range tries {
		ln, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			return 0, err
		}
		first := ln.Addr().(*net.TCPAddr).Port
		_ = ln.Close() // only the port number was wanted
		if inARow(first, n) {
			return first, nil
		}
	}
	return 0, fmt.Errorf("no %d free ports in a row after %d tries", n, tries)
}

func inARow(first, n int) bool {
	for port := first; port < first+n; port++ {
		ln, err := net.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", port))
		if err != nil {
			return false
		}
		_ = ln.Close() // only the port number was wanted
	}
	return true
}
