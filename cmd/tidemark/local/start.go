package local

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"syscall"

	"github.com/spf13/cobra"
	"github.com/tidemark/tidemark/cmd/tidemark/folder"
	"github.com/tidemark/tidemark/cmd/tidemark/terminal"
	"github.com/tidemark/tidemark/pkg/app"
)

const startHelp = `start
Run Tidemark on this machine

Run Tidemark on this machine: storage, the functions host and the app.

All state is in files below --data. Acknowledged data survives a restart and a power
cut. If AzureWebJobsStorage names an account, the state is in that account instead.
STORAGE=azurite starts Azurite, with its data below --data. If Azurite is missing, it
is installed below --tools once, which needs Node.js and takes a minute.
Ctrl-C stops everything in order; a second Ctrl-C does not wait.

Only this machine can reach the app; LISTEN lets other machines reach it. Requests need
a key: see "tidemark keys". The commands of the user who starts it find one by
themselves, which the first start makes in --data. A browser signs in with the link
that a start shows on a terminal, or with one of "tidemark link".

On a terminal, and with an empty data folder, it asks what to begin with: a page, a
site, or sample pages.

Settings are read from the environment and from tidemark.yaml below --data: see
"tidemark settings".

  tidemark start
  PORT=8080 CRAWL_ALLOW_HOSTS=localhost tidemark start --data /var/tmp/tidemark
  STORAGE=azurite tidemark start
  AzureWebJobsStorage='DefaultEndpointsProtocol=https;…' tidemark start
  LISTEN=0.0.0.0:7071 TLS_CERT_FILE=cert.pem TLS_KEY_FILE=key.pem tidemark start`

// startOptions are the flags of start.
type startOptions struct {
	folder.Options
	listening
	app     string // folder that `tidemark app` wrote; empty for the app inside this program
	verbose bool
	noInput bool // ask no questions
	src     *app.Sources
	wrong   error // what is wrong with the settings file, the address and the port
	browser bool  // render pages in a Chromium of this machine
}

// set returns the names of all settings that are set.
func (o startOptions) set() []string {
	if o.src == nil {
		return app.Names(os.Environ())
	}
	return o.src.Names()
}

// handed returns the variables that give the settings file's values to the handler.
func (o startOptions) handed() []string {
	if o.src == nil {
		return nil
	}
	return []string{o.src.Handed()}
}

func portText(getenv func(string) string) string { return cmp.Or(getenv("PORT"), "7071") }

func startCommand(t *terminal.Terminal, src *app.Sources) *cobra.Command {
	o, getenv := startOptions{src: src}, src.Get
	var port string
	start := func(ctx context.Context, data folder.Options, _ []string) error {
		o.listening, o.wrong = listenAt(getenv, port)
		o.wrong = errors.Join(src.Err, o.wrong)
		o.Options = data
		return runStart(ctx, t, getenv, o, realParts())
	}
	cmd := folder.Command(startHelp, cobra.NoArgs, getenv, start)
	f := cmd.Flags()
	f.StringVar(&o.app, "app", "", "`FOLDER` that tidemark app wrote, to run its handler instead of this program")
	f.StringVar(&port, "port", portText(getenv), "port of the app (PORT)")
	f.BoolVarP(&o.verbose, "verbose", "v", false, "print all logs of the app, not only warnings")
	f.BoolVar(&o.noInput, "no-input", false, "ask no questions, even on a terminal")
	f.BoolVar(&o.browser, "browser", false, "render pages that need a browser, with the Chromium of this machine")
	return cmd
}

// runStart checks everything that can be checked before the start. Then it starts the storage and the host, and stops
// them in reverse order when ctx ends.
func runStart(ctx context.Context, t *terminal.Terminal, getenv func(string) string, o startOptions,
	parts parts) (err error) {
	kind, err := folder.KindIn(t, getenv, o.Data)
	l := &local{Folder: folder.New(o.Options, kind, getenv, parts.Services, t.Say), t: t, getenv: getenv, app: o,
		parts: parts}
	// The app would report the errors of its settings, too, but at each of its three starts.
	if err := together(err, o.Wrong, o.wrong, l.configure()); err != nil {
		return err
	}
	if err := checkStart(o, kind); err != nil {
		return err
	}
	for _, said := range app.Misspelt(o.set()) {
		t.Note("%s", said)
	}
	t.NoteWhen(l.config.Proxies() != "", "%s", l.config.Proxies())
	if err := l.choose(ctx); err != nil {
		return err
	}
	if err := l.Open(o.level(), t.Err); err != nil {
		return err
	}
	defer l.Close()
	if kind == folder.Azurite {
		if err := l.StartAzurite(ctx); err != nil {
			return started(ctx, err)
		}
		defer l.StopAzurite()
	}
	return started(ctx, l.run(ctx))
}

// started turns the error of an interrupted start into an orderly stop.
func started(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return nil
	}
	return err
}

// checkStart looks for missing files and for a port in use.
func checkStart(o startOptions, kind string) error {
	if _, err := os.Stat(filepath.Join(o.app, hostFile)); o.app != "" && err != nil {
		return fmt.Errorf("%s has no host.json: write it with `tidemark app %[1]s`, or leave --app out", o.app)
	}
	l, err := net.Listen("tcp", o.Address())
	if err != nil {
		second := "TIDEMARK_DATA"
		second += terminal.When(kind == folder.Azurite, " and AZURITE_PORT_BASE")
		if !errors.Is(err, syscall.EADDRINUSE) && o.given != "" {
			return fmt.Errorf("LISTEN: %w", err)
		}
		return fmt.Errorf("port %d is in use: stop what uses it, or choose another with --port or PORT; "+
			"a second Tidemark needs %s of its own too", o.Port, second)
	}
	return l.Close()
}

// level returns the lowest level of the log entries that are shown.
func (o startOptions) level() slog.Level {
	if o.verbose {
		return slog.LevelDebug // LOG_LEVEL decides
	}
	return slog.LevelWarn
}
