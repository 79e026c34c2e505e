package local

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/tidemark/tidemark/cmd/tidemark/command"
	"github.com/tidemark/tidemark/cmd/tidemark/folder"
	"github.com/tidemark/tidemark/cmd/tidemark/terminal"
	"github.com/tidemark/tidemark/pkg/app"
	"github.com/tidemark/tidemark/pkg/base/words"
	"github.com/tidemark/tidemark/pkg/fetch"
	"github.com/tidemark/tidemark/pkg/fetch/render"
	"github.com/tidemark/tidemark/pkg/storage/sqlitefile"
)

// This file finds what keeps Tidemark from working on this machine, and tells the user what to do about it.

const doctorHelp = `doctor
Find what is wrong, and say what to do

Find what keeps Tidemark from working, and say what to do about it. The checks are:
settings, the data folder, disk, memory, the store, the search index, name
resolution, the connection to the web, the clock, the browser if one is set up, the
port, and the server.

It works with and without a running server. Run it as the server's user, with the same
--data, so that it reads the same settings file, and the same variables. It writes and removes a file and a blob, and
asks one host for its robots.txt and, if that allows it, for one page: the host of
--url, else that of a registered source, else example.com.

The exit code is 1 if there is a problem. With --json each finding is a line:
check, result (ok, warning, problem, skipped), says, do.

  tidemark doctor
  tidemark doctor --deep
  tidemark doctor --url https://intranet.example.org/ --json`

// Results of a check.
const (
	fine    = "ok"
	warning = "warning"
	problem = "problem"
	skipped = "skipped" // the check was not possible
)

// A finding is the result of a check, with the remedy.
type finding struct {
	Check  string `json:"check"`
	Result string `json:"result"`
	Says   string `json:"says"`
	Do     string `json:"do,omitempty"`
}

// doctorOptions are the flags of doctor.
type doctorOptions struct {
	data string
	port int
	url  string
	deep bool
}

// A doctor runs the checks. Tests replace its view of the machine.
type doctor struct {
	t        *terminal.Terminal
	s        *command.Server
	getenv   func(string) string
	o        doctorOptions
	environ  []string
	wrong    []error       // what is wrong with the settings file and the port
	resolver *net.Resolver // nil means the system's
	room     func(dir string) (sqlitefile.Room, error)

	at       listening
	kind     string // kind of the storage
	cfg      app.Config
	bad      bool // whether the settings are wrong
	reported []finding
}

// DoctorCommand returns the doctor command.
func DoctorCommand(t *terminal.Terminal, s *command.Server, src *app.Sources) *cobra.Command {
	o, getenv := doctorOptions{}, src.Get
	var port string
	cmd := command.New(doctorHelp, cobra.NoArgs, func(ctx context.Context, _ []string) error {
		var wrong error
		o.port, wrong = command.ParsePort("--port (PORT)", port, 65535)
		d := &doctor{t: t, s: s, getenv: getenv, o: o, environ: src.Names(), room: sqlitefile.RoomOf,
			wrong: []error{src.Err, wrong}}
		return d.run(ctx)
	})
	folder.DataFlag(cmd.Flags(), getenv, &o.data)
	f := cmd.Flags()
	f.StringVar(&port, "port", portText(getenv), "port of the app (PORT)")
	f.StringVar(&o.url, "url", "", "`URL` for the check of the connection to the web")
	f.BoolVar(&o.deep, "deep", false, "read the whole store and index to find damage")
	return cmd
}

func (d *doctor) run(ctx context.Context) (err error) {
	if d.o.data, err = filepath.Abs(d.o.data); err != nil {
		return err
	}
	for _, check := range []func(context.Context){
		d.settings, d.folder, d.disk, d.memory, d.files, d.store, d.index, d.web, d.browser, d.listen, d.server,
	} {
		if check(ctx); ctx.Err() != nil {
			return ctx.Err()
		}
	}
	n := map[string]int{}
	for _, f := range d.reported {
		n[f.Result]++
	}
	d.t.Say("\n%s, %s, %s that could not be made", words.Count(n[problem], "problem"), words.Count(n[warning], "warning"),
		words.Count(n[skipped], "check"))
	if n[problem] > 0 {
		return command.ErrReported
	}
	return nil
}

// report prints a finding as soon as it is known.
func (d *doctor) report(check, result, do, says string, args ...any) {
	f := finding{Check: check, Result: result, Says: terminal.Clean(fmt.Sprintf(says, args...)), Do: terminal.Clean(do)}
	d.reported = append(d.reported, f)
	if d.t.JSON {
		_ = json.NewEncoder(d.t.Out).Encode(f)
		return
	}
	const indent = 20
	for i, line := range terminal.Wrap(f.Says, d.width(indent)) {
		d.t.Say("%-*s%s", indent, terminal.When(i == 0, "%-9s %-9s", f.Result, f.Check), line)
	}
	if f.Do == "" {
		return
	}
	for i, line := range terminal.Wrap("→ "+f.Do, d.width(indent)) {
		d.t.Say("%*s%s", indent+2*min(i, 1), "", line)
	}
}

func (d *doctor) width(indent int) int {
	if d.t.Screen.Width == 0 {
		return 0
	}
	return max(20, d.t.Screen.Width-indent-2)
}

// settings reports all wrong settings at once.
func (d *doctor) settings(context.Context) {
	for _, err := range d.wrong {
		if err != nil {
			d.bad = true
			d.report("settings", problem, "correct what is named", "%v", err)
		}
	}
	var err error
	if d.kind, err = folder.KindOf(d.getenv); err != nil {
		d.bad = true
		d.report("settings", problem, "set STORAGE to one of them, or unset it", "%v", err)
	}
	if d.at, err = listen(d.getenv, d.o.port); err != nil {
		d.report("settings", problem, "correct what is named, or unset it", "%v", err)
	}
	get := func(name string) string {
		if name == "TIDEMARK_DATA" {
			return d.o.data
		}
		return d.getenv(name)
	}
	set := app.Names(d.environ)
	d.cfg, err = app.Load(get, set...)
	if err != nil {
		d.bad = true
		d.report("settings", problem, "change or unset what is named; `tidemark docs settings` explains each setting", "%v",
			strings.TrimPrefix(err.Error(), "settings: "))
	}
	for _, said := range app.Misspelt(set) {
		d.report("settings", warning, "it has no effect: correct its name, or unset it", "%s", said)
	}
	for _, said := range app.Unexported(set) {
		d.report("settings", warning, "use a build with OpenTelemetry, or unset it", "%s", said)
	}
	if len(d.reported) == 0 {
		d.report("settings", fine, "", "all values are allowed")
	}
	if said := d.cfg.Proxies(); said != "" {
		d.report("proxy", fine, "", "%s", said)
	}
}

// server asks the running server for its health.
func (d *doctor) server(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	at := d.s.Address
	if at == Here(d.getenv) && d.at.Port != 0 { // the user chose no other server
		at = d.at.URL()
	}
	h, err := d.healthAt(ctx, at)
	switch {
	case err != nil:
		d.report("server", skipped, "start it with `tidemark start`, or name it with --server",
			"no Tidemark answers at %s, so what it knows of itself could not be checked: %v", at, err)
		return
	case !h.Works():
		d.report("server", problem, "do what it says; its log has more", "%s is not well: storage %s, index %s",
			at, cmp.Or(h.Storage, "unknown"), cmp.Or(h.Index, "unknown"))
	default:
		d.report("server", fine, "", "%s is well; version %s", at, h.Version)
	}
	for _, text := range h.Warnings {
		d.report("server", warning, "", "%s", text)
	}
	if h.Version != app.Version {
		d.report("server", warning, "restart the server after an upgrade, or use the command that came with it",
			"the server is version %q and this command is %q", h.Version, app.Version)
	}
	if h.Migration != "" {
		d.report("server", warning, "see `tidemark migrate --help`", "what is stored is of other rules: migration %s",
			h.Migration)
	}
}

// trialPage has its text by a script.
const trialPage = `<!doctype html><title>Trial</title><p id=text></p>
<script>text.textContent = "a " + "script ran"</script>`

// browser checks whether the browser that is set up renders a page, which no request to the web is needed for.
func (d *doctor) browser(ctx context.Context) {
	if d.bad || !d.cfg.Render.Exists() {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, 2*time.Minute)
	defer cancel()
	out, err := d.render(ctx)
	switch where := d.cfg.Render.Where(); {
	case err != nil:
		d.report("browser", problem, "see `tidemark docs rendering`; pages that need a browser wait until it can be used",
			"%s: %v", where, err)
	case !strings.Contains(string(out.HTML), "a script ran"):
		d.report("browser", problem, "use another browser, or unset its setting", "%s: %s ran no script", where, out.Browser)
	default:
		d.report("browser", fine, "", "%s, at %s, rendered a page in %s", out.Browser, where,
			out.Elapsed.Round(time.Millisecond))
	}
}

// render renders the trial page, in a Chromium of its own if that is started here.
func (d *doctor) render(ctx context.Context) (out render.Rendered, err error) {
	web, err := fetch.New(d.cfg.Fetch)
	if err != nil {
		return out, err
	}
	defer web.Close()
	r, err := d.cfg.Render.Renderer(web, "")
	if err != nil {
		return out, err
	}
	defer r.Close()
	return r.Render(ctx, render.Page{URL: "http://trial.invalid/", Plain: &fetch.Response{Status: http.StatusOK,
		Header: http.Header{"Content-Type": {"text/html"}}, Body: []byte(trialPage), FinalURL: "http://trial.invalid/"}})
}
