package command

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"

	"github.com/tidemark/tidemark/cmd/tidemark/terminal"
	"github.com/tidemark/tidemark/pkg/api"
)

// DefaultServer is the address of the server when the user gives none.
const DefaultServer = "http://localhost:7071"

// Server is the server that the user chose, by flags or the environment.
type Server struct {
	Address  string
	Key      string // key from the flag
	Tracking string // TRACKING_PARAM_PREFIXES; the ids of the server's sources depend on it
	key      string // key from the environment, which no help text shows
	t        *terminal.Terminal
}

// NewServer returns the server that is set in the environment. The flags of [Root] may choose another server.
func NewServer(t *terminal.Terminal, getenv func(string) string) *Server {
	return &Server{Address: cmp.Or(getenv("TIDEMARK_SERVER"), DefaultServer), key: getenv("TIDEMARK_KEY"),
		Tracking: getenv("TRACKING_PARAM_PREFIXES"), t: t}
}

// Client returns a client. With --json, the client prints the server's answers.
func (s *Server) Client() *api.Client {
	c := s.Silent()
	if !s.t.JSON {
		return c
	}
	return c.Tee(func(body []byte) {
		var line bytes.Buffer
		if json.Compact(&line, body) == nil {
			fmt.Fprintln(s.t.Out, line.String())
		}
	})
}

// Silent returns a client that prints nothing.
func (s *Server) Silent() *api.Client { return s.At(s.Address) }

// At returns a client of the server at another address. The client uses the same key and prints nothing.
func (s *Server) At(address string) *api.Client {
	return api.NewClient(address, cmp.Or(s.Key, s.key), nil)
}
