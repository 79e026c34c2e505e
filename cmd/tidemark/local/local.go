package local

import (
	"context"
	"fmt"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/tidemark/tidemark/cmd/tidemark/command"
	"github.com/tidemark/tidemark/cmd/tidemark/folder"
	"github.com/tidemark/tidemark/cmd/tidemark/terminal"
	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/app"
	"github.com/tidemark/tidemark/pkg/base/defaults"
	"github.com/tidemark/tidemark/pkg/local/funchost"
	"github.com/tidemark/tidemark/pkg/ops/keyfile"
	"github.com/tidemark/tidemark/pkg/storage"
)

// drainWait limits the time that work may continue after a stop was requested.
const drainWait = 10 * time.Second

// fromAnywhere are the paths of the short links of mails. A mail program may send their forms from its own pages, with
// and without the prefix of routes; the app checks where others come from.
var fromAnywhere = []string{"POST /api/ui/m/{token}", "POST /ui/m/{token}"}

// parts are the parts of a local run. Tests replace them.
type parts struct {
	folder.Services
	prepare func(ctx context.Context, cfg app.Config, store storage.Store) error
	host    func(o funchost.Options) (host, error)
}

// A host runs the app until the context ends.
type host interface {
	Run(ctx context.Context) error
	Ready() <-chan struct{}
	LoadErrors() []error
}

func realParts() parts {
	return parts{
		Services: folder.Real,
		prepare:  app.Prepare,
		host:     func(o funchost.Options) (host, error) { return funchost.New(o) },
	}
}

// local is one run of all of Tidemark on this machine.
type local struct {
	*folder.Folder
	t      *terminal.Terminal
	getenv func(string) string
	app    startOptions
	config app.Config
	parts  parts
	first  first // what to begin with; nil if the user made no choice
	own    ownKey
}

// configure reads the settings.
func (l *local) configure() (err error) {
	if l.Data, err = filepath.Abs(l.Data); err != nil {
		return err
	}
	l.Own = folderSettings(l.getenv, l.Data)
	if l.getenv("RENDER_BROWSER") == "" && (l.app.browser || l.getenv("RENDER_ENDPOINT") == "") {
		value := "asked"
		if l.app.browser {
			value = "auto"
		}
		l.Own = append(l.Own, folder.Setting{Name: "RENDER_BROWSER", Value: value})
	}
	l.config, err = app.Load(l.Lookup, l.app.set()...)
	return err
}

// choose asks what to begin with, if a person can answer. It does not ask on a server that other machines can reach,
// because such a server has an operator who needs no help.
func (l *local) choose(ctx context.Context) (err error) {
	if l.app.beyond || l.app.certificate != nil || !asks(l.t, l.app, l.Kind) {
		return nil
	}
	if l.first, err = askFirst(ctx, l.t, l.Data); err != nil || l.first == nil {
		return err
	}
	if err := l.first.prepare(l.Data); err != nil {
		return err
	}
	return l.configure()
}

// run runs the host until ctx ends or something breaks.
func (l *local) run(ctx context.Context) error {
	store, err := l.OpenStore(ctx, l.config)
	if err != nil {
		return err
	}
	defer store.Close()
	if err := l.parts.prepare(ctx, l.config, store); err != nil {
		return err
	}
	if err := app.Recover(ctx, store); err != nil {
		return err
	}
	withdraw, err := l.openKey(ctx, store)
	if err != nil {
		return err
	}
	defer withdraw()
	admitting, err := l.admitting()
	if err != nil {
		return err
	}
	o := funchost.Options{
		AppDir: l.app.app, Addr: l.app.Address(), Env: slices.Concat(l.Environment(), admitting, l.app.handed()),
		Store: store, DrainWait: drainWait, BarePaths: true, FromAnywhere: fromAnywhere,
		Log: l.Log.Logger, StateDir: filepath.Join(l.Data, "host"),
		Keys: l.needsKeys(), Certificate: l.app.certificate, Proxies: l.app.proxies, UserHeader: l.app.userHeader,
		BasePath: l.config.BasePath, Home: http.HandlerFunc(home),
	}
	if o.AppDir == "" {
		if o.AppDir, o.Handler, err = ownApp(l.Data); err != nil {
			return err
		}
	}
	h, err := l.parts.host(o)
	if err != nil {
		return err
	}
	for _, e := range h.LoadErrors() {
		l.t.Note("left out: %v", e)
	}
	return l.serve(ctx, h)
}

// followSettings applies changes of the settings file to the log until ctx ends. It wakes when the timers do, at every
// tenth second of the clock. The handler follows the file itself.
func (l *local) followSettings(ctx context.Context) {
	const every = 10 * time.Second
	live := app.Follow(l.app.src, l.config, l.Log.Logger, func(c app.Config) { l.Log.SetLevel(c.LogLevel) })
	for now := time.Now(); defaults.Pause(ctx, now.Truncate(every).Add(every).Sub(now)) == nil; now = time.Now() {
		live.Refresh()
	}
}

// serve waits for the first of these: an interrupt, the end of the host, or the end of Azurite, without which the
// host cannot continue.
func (l *local) serve(ctx context.Context, h host) error {
	// The host has a context of its own. With ctx, it could end before the stop is announced.
	life, stop := context.WithCancel(context.WithoutCancel(ctx))
	defer stop()
	go app.GiveBackWhenIdle(life)
	if l.app.src != nil {
		go l.followSettings(life)
	}
	defer app.SweepBrowser(l.Data) // the host does not wait for the app, whose browser ends with it
	ended := make(chan error, 1)
	go func() { ended <- h.Run(life) }()
	ready := h.Ready()
	var begun sync.WaitGroup
	for {
		select {
		case <-ready:
			l.welcome(ctx)
			ready = nil
			if l.first != nil {
				b := &beginning{t: l.t, client: l.client(), at: l.app.URL(), data: l.Data}
				begun.Go(func() { b.run(ctx, l.first) })
			}
		case err := <-ended:
			return err
		case <-l.AzuriteEnded():
			stop()
			<-ended
			return l.ErrAzuriteLost()
		case <-ctx.Done():
			begun.Wait() // otherwise its output would appear below the next lines
			l.t.Say("\nstopping the host and the app; what is in work has %s to finish (Ctrl-C again does not wait)", drainWait)
			l.Log.Hush() // interrupted work is no error, because the next start does that work
			stop()
			err := <-ended
			if !l.HasAzurite() { // otherwise Azurite must be stopped, too
				l.SayWhere()
			}
			return err
		}
	}
}

// storageText describes where the state is stored.
func (l *local) storageText() string {
	switch l.Kind {
	case folder.Embedded:
		return "embedded: the files in " + app.StoreFolder(l.Data)
	case folder.Azurite:
		return fmt.Sprintf("Azurite, at the ports %d to %d", l.PortBase, l.PortBase+2)
	default:
		return "the account that AzureWebJobsStorage names"
	}
}

// serverFlag returns the flag by which other commands reach a server, or "" for the default server.
func serverFlag(at string) string {
	return terminal.When(at != command.DefaultServer, " --server %s", at)
}

// keyText says which key a request needs, and which commands find it.
func (l *local) keyText() string {
	if l.own.secret == "" {
		return fmt.Sprintf("each request needs one, and so does the dashboard: see `%s keys`", l.t.Name)
	}
	finds := "your commands on this machine find it"
	if !l.own.found {
		finds = "commands take it from TIDEMARK_KEY"
	}
	return fmt.Sprintf("%s (%s; for other programs see `%s keys`)", keyfile.Path(l.Data), finds, l.t.Name)
}

// welcome prints the addresses of the app and the next steps.
func (l *local) welcome(ctx context.Context) {
	at := l.app.URL()
	self, flag := l.t.Name, serverFlag(at)
	l.t.Say("\n%s", l.t.Screen.Bold("Tidemark runs at "+at))
	below := at + l.config.BasePath
	l.t.Say("  dashboard  %s/api/ui", below)
	if l.own.secret != "" {
		l.t.Say("  sign in    %s", l.signInText(ctx))
	}
	l.t.Say("  API        %s/api (its documentation: %s/api/docs)", below, below)
	l.t.SayWhen(l.needsKeys(), "  key        %s", l.keyText())
	l.t.Say("  storage    %s", l.storageText())
	l.t.Say("  data       %s", l.Data)
	l.t.Say("  log        %s", l.Log.Name)
	l.t.Say("\nNext, in another terminal:")
	l.t.Say("  %s add https://example.com/%s", self, flag)
	l.t.Say("  %s status --watch%s", self, flag)
	l.t.Say("  %s search 'example domain'%s", self, flag)
	l.t.Say("\nCtrl-C stops it.")
}

// homeText gives programs the paths of the app.
const homeText = `{"dashboard":"PREFIX/api/ui","documentation":"PREFIX/api/docs",` +
	`"openapi":"PREFIX/api/openapi.json","health":"PREFIX/api/health"}
`

// home answers "/" on this machine: it redirects a browser to the dashboard, and gives a program the paths of the
// app. In Azure the platform answers requests for "/".
func home(w http.ResponseWriter, r *http.Request) {
	h, prefix := w.Header(), r.Header.Get(api.PrefixHeader)
	h.Set("Vary", "Accept")
	if strings.Contains(r.Header.Get("Accept"), "text/html") {
		h.Set("Location", prefix+"/api/ui")
		w.WriteHeader(http.StatusSeeOther)
		return
	}
	h.Set("Content-Type", "application/json")
	_, _ = w.Write([]byte(strings.ReplaceAll(homeText, "PREFIX", prefix))) // an error means that the caller has gone
}
