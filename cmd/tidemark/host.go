package main

import (
	"strings"

	"github.com/spf13/pflag"
)

// hostValue is a flag that takes a host. Hosts are stored in lower case, and people write them as
// they like (RFC 3986 section 3.2.2).
type hostValue string

var _ pflag.Value = (*hostValue)(nil)

func (h *hostValue) String() string { return string(*h) }
func (h *hostValue) Type() string   { return "HOST" }
func (h *hostValue) Set(text string) error {
	*h = hostValue(strings.ToLower(strings.TrimSpace(text)))
	return nil
}

// hostFlag adds --host to f.
func hostFlag(f *pflag.FlagSet, host *string, usage string) {
	f.Var((*hostValue)(host), "host", usage)
}
