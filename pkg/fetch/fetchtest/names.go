package fetchtest

import (
	"context"
	"net"
	"net/netip"
	"strings"
	"sync"

	"golang.org/x/net/dns/dnsmessage"
)

// Names is a name server for tests. It gives each answer of a name once, and repeats the last one.
type Names struct {
	mu      sync.Mutex
	Answers map[string][]string
	asked   map[string]int
}

// NewNames returns a server with these answers: lists of addresses for each name.
func NewNames(answers map[string][]string) *Names {
	return &Names{Answers: answers, asked: map[string]int{}}
}

// Resolver returns a resolver that asks the server.
func (n *Names) Resolver() *net.Resolver {
	return &net.Resolver{PreferGo: true, Dial: func(context.Context, string, string) (net.Conn, error) {
		client, server := net.Pipe()
		go n.serve(server)
		return client, nil
	}}
}

// serve answers one question as over TCP, with the length first.
func (n *Names) serve(conn net.Conn) {
	defer conn.Close()
	buf := make([]byte, 1500)
	size, err := conn.Read(buf)
	for size < 2 && err == nil {
		var more int
		more, err = conn.Read(buf[size:])
		size += more
	}
	length := int(buf[0])<<8 | int(buf[1])
	for size < 2+length && err == nil {
		var more int
		more, err = conn.Read(buf[size:])
		size += more
	}
	var msg dnsmessage.Message
	if err != nil || msg.Unpack(buf[2:size]) != nil {
		return
	}
	out := n.answer(msg)
	conn.Write(append([]byte{byte(len(out) >> 8), byte(len(out))}, out...))
}

func (n *Names) answer(msg dnsmessage.Message) []byte {
	q := msg.Questions[0]
	msg.Response, msg.Authoritative, msg.Additionals = true, true, nil
	header := dnsmessage.ResourceHeader{Name: q.Name, Class: q.Class, Type: q.Type}
	n.mu.Lock()
	defer n.mu.Unlock()
	name := strings.TrimSuffix(q.Name.String(), ".")
	list := n.Answers[name]
	if len(list) == 0 {
		msg.RCode = dnsmessage.RCodeNameError
	} else if q.Type == dnsmessage.TypeA {
		for _, address := range strings.Fields(list[min(n.asked[name], len(list)-1)]) {
			body := &dnsmessage.AResource{A: netip.MustParseAddr(address).As4()}
			msg.Answers = append(msg.Answers, dnsmessage.Resource{Header: header, Body: body})
		}
		n.asked[name]++
	}
	out, _ := msg.Pack()
	return out
}

// Asked returns how often a name was looked up.
func (n *Names) Asked(name string) int {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.asked[name]
}
