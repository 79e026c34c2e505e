package main

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"github.com/tidemark/tidemark/pkg/azurite"
	"github.com/tidemark/tidemark/pkg/funchost"
	"github.com/tidemark/tidemark/pkg/storage"
	"github.com/tidemark/tidemark/pkg/storage/azure"
)

// pingTimeout is how long a given storage account may take to answer at the start.
const pingTimeout = 20 * time.Second

// parts are what a local run is made of. Tests put their own in.
type parts struct {
	azurite func(ctx context.Context, o azurite.Options) (emulator, error)
	open    func(get func(string) string) (storage.Store, error)
	host    func(o funchost.Options) (host, error)
}

// emulator is a running Azurite.
type emulator interface {
	ConnectionString() string
	Done() <-chan struct{}
	Stop()
}

// host runs the app until its context ends.
type host interface {
	Run(ctx context.Context) error
	Ready() <-chan struct{}
	LoadErrors() []error
}

func realParts() parts {
	return parts{
		azurite: func(ctx context.Context, o azurite.Options) (emulator, error) {
			s, err := azurite.Start(ctx, o)
			if err != nil {
				return nil, err // and not a non-nil emulator that holds nothing
			}
			return s, nil
		},
		open: func(get func(string) string) (storage.Store, error) { return azure.Open(get, azure.Options{}) },
		host: func(o funchost.Options) (host, error) { return funchost.New(o) },
	}
}

// local is one run of everything on this machine.
type local struct {
	*program
	options  startOptions
	parts    parts
	log      *logs
	emulator emulator // nil when storage was given
}

func (l *local) startStorage(ctx context.Context) error {
	l.say("starting Azurite (the first time it is downloaded, which takes a minute)")
	dir := filepath.Join(l.options.data, "azurite")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	var err error
	l.emulator, err = l.parts.azurite(ctx, azurite.Options{
		ToolDir: l.options.tools, DataDir: dir, PortBase: l.options.portBase, Log: l.log.file,
	})
	return err
}

func (l *local) stopStorage() {
	l.say("stopping Azurite, which saves its data")
	l.emulator.Stop()
	l.say("stopped; the data is in %s", l.options.data)
}

// emulatorDone is closed when our Azurite has ended; nil, and so never ready, when there is none.
func (l *local) emulatorDone() <-chan struct{} {
	if l.emulator == nil {
		return nil
	}
	return l.emulator.Done()
}

// lookup reads one setting of the app: what was decided here, else that of the environment.
func (l *local) lookup(name string) string {
	for _, s := range l.decided() {
		if s.name == name {
			return s.value
		}
	}
	return l.getenv(name)
}

type decision struct{ name, value string }

func (l *local) decided() []decision {
	all := []decision{{"TIDEMARK_DATA", l.options.data}}
	if l.emulator != nil {
		all = append(all, decision{"AzureWebJobsStorage", l.emulator.ConnectionString()},
			decision{"AZURITE_PORT_BASE", strconv.Itoa(l.options.portBase)})
	}
	return all
}

// environment is what the app sees; a later value of a name wins.
func (l *local) environment() []string {
	env := os.Environ()
	for _, s := range l.decided() {
		env = append(env, s.name+"="+s.value)
	}
	return env
}

// run runs the host until ctx ends or something breaks.
func (l *local) run(ctx context.Context) error {
	store, err := l.openStore(ctx)
	if err != nil {
		return err
	}
	defer store.Close()
	h, err := l.parts.host(funchost.Options{
		AppDir: l.options.app, Addr: l.options.address(), Env: l.environment(), Store: store,
		Log: l.log.Logger, StateDir: filepath.Join(l.options.data, "host"),
	})
	if err != nil {
		return err
	}
	for _, e := range h.LoadErrors() {
		l.note("left out: %v", e)
	}
	return l.serve(ctx, h)
}

func (l *local) openStore(ctx context.Context) (storage.Store, error) {
	store, err := l.parts.open(l.lookup)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, pingTimeout)
	defer cancel()
	if err := store.Ping(ctx); err != nil {
		store.Close()
		return nil, fmt.Errorf("storage does not answer; check AzureWebJobsStorage, or unset it to have Azurite started: %w", err)
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
	for {
		select {
		case <-ready:
			l.welcome()
			ready = nil
		case err := <-ended:
			return err
		case <-l.emulatorDone():
			stop()
			<-ended
			return fmt.Errorf("azurite ended by itself; %s may say why", l.log.name)
		case <-ctx.Done():
			l.say("\nstopping the host and the app (Ctrl-C again does not wait)")
			stop()
			return <-ended
		}
	}
}

// welcome says where everything is and what to do next.
func (l *local) welcome() {
	at := fmt.Sprintf("http://localhost:%d", l.options.port)
	flag := ""
	if at != defaultServer {
		flag = " --server " + at
	}
	self := cmp.Or(l.self, "tidemark")
	l.say("")
	l.say("%s", l.screen.bold("Tidemark runs at "+at))
	l.say("  API        %s/api (is it well: %s/api/health)", at, at)
	l.say("  data       %s", l.options.data)
	l.say("  log        %s", l.log.name)
	l.say("\nNext, in another terminal:")
	l.say("  %s add https://example.com/%s", self, flag)
	l.say("  %s status --watch%s", self, flag)
	l.say("  %s search 'example domain'%s", self, flag)
	l.say("\nCtrl-C stops it.")
}
