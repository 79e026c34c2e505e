package local

import (
	"context"
	"errors"
	"net/http"
	"strings"

	"github.com/spf13/cobra"

	"github.com/tidemark/tidemark/cmd/tidemark/command"
	"github.com/tidemark/tidemark/cmd/tidemark/terminal"
	"github.com/tidemark/tidemark/pkg/api"
)

const linkHelp = `link
Print a link that signs a browser in to the dashboard

Print a link that signs a browser in to the dashboard, once, within ten minutes, with
the rights of the key that this command uses: that of --key, or the admin key of the
server that you run on this machine. Anybody who has the link can use it. To open it
uses nothing up; to press "Sign in" does.

  tidemark link
  xdg-open "$(tidemark link)"`

func linkCommand(t *terminal.Terminal, s *command.Server) *cobra.Command {
	return command.New(linkHelp, cobra.NoArgs, func(ctx context.Context, _ []string) error {
		made, err := s.Client().SignInLink(ctx)
		if p, ok := errors.AsType[*api.Problem](err); ok && p.Status == http.StatusNotFound {
			return errors.New("this server makes no such links: sign in with a key")
		}
		if err != nil {
			return err
		}
		t.Say("%s", terminal.Clean(strings.TrimSuffix(strings.TrimRight(s.Address, "/"), "/api")+made.Path))
		t.NoteWhen(made.Until.IsZero(), "this dashboard needs no key")
		return nil
	})
}

// signInText says how to sign in at the dashboard. The link itself is shown on the terminal of a person only, and where
// the dashboard is for this machine: nobody may find it in the journal of a service or in the log of a container.
func (l *local) signInText(ctx context.Context) string {
	another := "`" + l.t.Name + " link" + serverFlag(l.app.URL()) + "` prints "
	how := another + "a link that works once, within ten minutes"
	if !l.t.Screen.Terminal || !l.t.Typed || l.t.JSON || l.app.beyond {
		return how
	}
	token, err := l.own.ring.Link(ctx, l.own.key)
	if err != nil {
		l.t.Note("no link for signing in: %v", err)
		return how
	}
	return l.app.URL() + l.config.BasePath + "/api/ui/link?t=" + token +
		"\n             (once, within ten minutes; " + another + "another)"
}
