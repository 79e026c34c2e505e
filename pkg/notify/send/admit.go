package send

import (
	"context"
	"net"
	"net/url"

	"github.com/tidemark/tidemark/pkg/base/fault"
)

// Mail is the name of the service that sends mail.
const Mail = "smtp"

// Address is where a message is sent.
type Address struct {
	HostPort string // host and port
	Mail     bool   // a mail server, which has other ports
}

// Addresses returns where the messages to a target are sent. It is empty if the target cannot be read.
func Addresses(t Target) (out []Address) {
	if t.Webhook != "" {
		return webAddress(t.Webhook)
	}
	u, kind, err := service(t.Service)
	if err != nil {
		return nil
	}
	if u.Scheme == Mail {
		b, err := mailbox(u)
		if err != nil {
			return nil
		}
		return append([]Address{{b.address, true}}, webAddress(b.grant.address)...)
	}
	requests, _ := kind.build(u, Message{ID: "check"})
	if len(requests) == 0 {
		return nil
	}
	return webAddress(requests[0].url)
}

func webAddress(text string) []Address {
	u, err := url.Parse(text)
	if err != nil || u.Hostname() == "" {
		return nil
	}
	port := u.Port()
	if port == "" {
		port = map[string]string{"http": "80", "https": "443"}[u.Scheme]
	}
	return []Address{{net.JoinHostPort(u.Hostname(), port), false}}
}

// Admit checks whether messages may be sent to addresses. It looks up names, and connects to nobody. Errors: Blocked,
// with what to do about it; Unavailable if a name cannot be looked up.
func (s *Sender) Admit(ctx context.Context, to ...Address) error {
	for _, a := range to {
		ports := webPorts
		if a.Mail {
			ports = mailPorts
		}
		if err := s.admit(ctx, a.HostPort, ports...); fault.Is(err, fault.Blocked) {
			return fault.New(fault.Blocked, "Tidemark may not send anything to %s (%w). %s", a.HostPort, err, advice(a.HostPort))
		} else if err != nil {
			return err
		}
	}
	return nil
}

// advice says how an address is allowed.
func advice(hostPort string) string {
	return "If the receiver is yours, add it to the setting WEBHOOK_ALLOW_HOSTS, such as WEBHOOK_ALLOW_HOSTS=" + hostPort +
		", and start Tidemark again. Only the person who runs Tidemark can do that, so that a channel cannot be used to " +
		"reach machines of your network"
}

var webPorts = []uint16{80, 443}
