package main

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/app"
	"github.com/tidemark/tidemark/pkg/local/funchost"
	"github.com/tidemark/tidemark/pkg/storage"
)

// pingTimeout is how long a given storage account may take to answer at the start.
const pingTimeout = 20 * time.Second

// drainWait is how long work may go on after a stop was asked for.
const drainWait = 10 * time.Second

// parts are what a local run is made of. Tests put their own in.
type parts struct {
	azurite launcher
	open    func(get func(string) string, log *slog.Logger) (storage.Store, error)
	prepare func(ctx context.Context, cfg app.Config, store storage.Store) error
	host    func(o funchost.Options) (host, error)
}

// host runs the app until its context ends.
type host interface {
	Run(ctx context.Context) error
	Ready() <-chan struct{}
	LoadErrors() []error
}

func realParts() parts {
	return parts{
		azurite: launchAzurite,
		open:    app.OpenStore,
		prepare: app.Prepare,
		host:    func(o funchost.Options) (host, error) { return funchost.New(o) },
	}
}

// local is one run of everything on this machine.
type local struct {
	emulation // not started when storage was given
	app       startOptions
	config    app.Config
	parts     parts
	first     first // what to begin with; nil when nobody chose
}

// configure reads the settings.
func (l *local) configure() (err error) {
	data, err := filepath.Abs(l.options.data)
	if err != nil {
		return err
	}
	l.own = folderSettings(l.p.getenv, data)
	l.config, err = app.Load(l.lookup, app.Names(os.Environ())...)
	return err
}

// choose asks what to begin with, where there is somebody to ask. A server that is made for others has an operator, who
// needs no help.
func (l *local) choose(ctx context.Context) (err error) {
	if l.needsKeys() || l.app.certificate != nil || !l.p.asks(l.app, l.storage) {
		return nil
	}
	data, err := filepath.Abs(l.options.data)
	if err != nil {
		return err
	}
	if l.first, err = l.p.askFirst(ctx, data); err != nil || l.first == nil {
		return err
	}
	if err := l.first.prepare(data); err != nil {
		return err
	}
	return l.configure()
}

// run runs the host until ctx ends or something breaks.
func (l *local) run(ctx context.Context) error {
	store, err := l.openStore(ctx)
	if err != nil {
		return err
	}
	defer store.Close()
	if err := l.parts.prepare(ctx, l.config, store); err != nil {
		return err
	}
	if err := l.checkKeys(ctx, store); err != nil {
		return err
	}
	admitting, err := l.admitting()
	if err != nil {
		return err
	}
	o := funchost.Options{
		AppDir: l.app.app, Addr: l.app.address(), Env: append(l.environment(), admitting...), Store: store,
		DrainWait: drainWait, BarePaths: true,
		Log: l.log.Logger, StateDir: filepath.Join(l.options.data, "host"),
		Keys: l.needsKeys(), Certificate: l.app.certificate, Proxies: l.app.proxies,
		Home: http.HandlerFunc(home),
	}
	if o.AppDir == "" {
		if o.AppDir, o.Handler, err = ownApp(l.options.data); err != nil {
			return err
		}
	}
	h, err := l.parts.host(o)
	if err != nil {
		return err
	}
	for _, e := range h.LoadErrors() {
		l.p.note("left out: %v", e)
	}
	return l.serve(ctx, h)
}

func (l *local) openStore(ctx context.Context) (storage.Store, error) {
	store, err := l.parts.open(l.lookup, l.log.Logger)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, pingTimeout)
	defer cancel()
	if err := store.Ping(ctx); err != nil {
		store.Close()
		if l.storage == account {
			return nil, fmt.Errorf("storage does not answer; check AzureWebJobsStorage, or unset it to use the embedded "+
				"store: %w", err)
		}
		return nil, fmt.Errorf("storage does not answer: %w", err)
	}
	return store, nil
}

// serve waits for what comes first: an interrupt, the end of the host, or that of Azurite, on
// which the host cannot go on.
func (l *local) serve(ctx context.Context, h host) error {
	// The host's life is not ctx itself, or the host might be gone before the stop is announced.
	life, stop := context.WithCancel(context.WithoutCancel(ctx))
	defer stop()
	ended := make(chan error, 1)
	go func() { ended <- h.Run(life) }()
	ready := h.Ready()
	var begun sync.WaitGroup
	for {
		select {
		case <-ready:
			l.welcome()
			ready = nil
			if l.first != nil {
				b := &beginning{p: l.p, client: api.NewClient(l.app.url(), "", l.p.http), at: l.app.url(), data: l.options.data}
				begun.Go(func() { b.run(ctx, l.first) })
			}
		case err := <-ended:
			return err
		case <-l.ended():
			stop()
			<-ended
			return l.lost()
		case <-ctx.Done():
			begun.Wait() // or it would write below what follows
			l.p.say("\nstopping the host and the app; what is in work has %s to finish (Ctrl-C again does not wait)", drainWait)
			l.log.hush() // what is cut off now is no news: it is done after the next start
			stop()
			err := <-ended
			if l.running == nil { // else there is more to stop
				l.stopped()
			}
			return err
		}
	}
}

// storageText says what the state is kept in.
func (l *local) storageText() string {
	switch l.storage {
	case embedded:
		return "embedded: the files in " + app.StoreFolder(l.options.data)
	case ownAzurite:
		return fmt.Sprintf("Azurite, at the ports %d to %d", l.options.portBase, l.options.portBase+2)
	default:
		return "the account that AzureWebJobsStorage names"
	}
}

// serverFlag is what other commands are told of a server; "" for the one that they ask anyway.
func serverFlag(at string) string {
	if at == defaultServer {
		return ""
	}
	return " --server " + at
}

// welcome says where everything is and what to do next.
func (l *local) welcome() {
	at := l.app.url()
	self, flag := l.p.name(), serverFlag(at)
	l.p.say("")
	l.p.say("%s", l.p.screen.bold("Tidemark runs at "+at))
	l.p.say("  dashboard  %s/api/ui", at)
	l.p.say("  API        %s/api (its documentation: %s/api/docs)", at, at)
	if l.needsKeys() {
		l.p.say("  keys       each request needs one, and so does the dashboard: see `%s keys`", self)
	}
	l.p.say("  storage    %s", l.storageText())
	l.p.say("  data       %s", l.options.data)
	l.p.say("  log        %s", l.log.name)
	l.p.say("\nNext, in another terminal:")
	l.p.say("  %s add https://example.com/%s", self, flag)
	l.p.say("  %s status --watch%s", self, flag)
	l.p.say("  %s search 'example domain'%s", self, flag)
	l.p.say("\nCtrl-C stops it.")
}
