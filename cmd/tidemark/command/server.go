package command

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"

	"github.com/tidemark/tidemark/cmd/tidemark/terminal"
	"github.com/tidemark/tidemark/pkg/api"
)

// DefaultServer is the address of the server where the user names none.
const DefaultServer = "http://localhost:7071"

// Server is the server that the user means, by the flags or the environment.
type Server struct {
	Address  string
	Key      string // of the flag
	Tracking string // TRACKING_PARAM_PREFIXES, which decides the ids of its sources
	key      string // of the environment, which no help shows
	t        *terminal.Terminal
}

// NewServer is the server of the environment; the flags of [Root] may name another.
func NewServer(t *terminal.Terminal, getenv func(string) string) *Server {
	return &Server{Address: cmp.Or(getenv("TIDEMARK_SERVER"), DefaultServer), key: getenv("TIDEMARK_KEY"),
		Tracking: getenv("TRACKING_PARAM_PREFIXES"), t: t}
}

// Client asks the server and, with --json, prints its answers.
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

// Silent asks the server and prints nothing.
func (s *Server) Silent() *api.Client { return s.At(s.Address) }

// At asks another server, with the same key, and prints nothing.
func (s *Server) At(address string) *api.Client {
	return api.NewClient(address, cmp.Or(s.Key, s.key), nil)
}
