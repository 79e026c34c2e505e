package command

import (
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// One requires exactly one argument. The error for a missing argument calls it by the given word.
func One(what string) cobra.PositionalArgs {
	return func(_ *cobra.Command, args []string) error {
		if len(args) != 1 {
			return Usagef("give one %s, not %d", what, len(args))
		}
		return nil
	}
}

// Some requires at least one argument. The error for missing arguments calls them by the given word.
func Some(what string) cobra.PositionalArgs {
	return func(_ *cobra.Command, args []string) error {
		if len(args) == 0 {
			return Usagef("give at least one %s", what)
		}
		return nil
	}
}

// hostValue is a flag whose value is a host. It converts the host to lower case, the stored form, because people
// write hosts in any case (RFC 3986 section 3.2.2).
type hostValue string

var _ pflag.Value = (*hostValue)(nil)

func (h *hostValue) String() string { return string(*h) }
func (h *hostValue) Type() string   { return "HOST" }
func (h *hostValue) Set(text string) error {
	*h = hostValue(strings.ToLower(strings.TrimSpace(text)))
	return nil
}

// HostFlag adds --host to f.
func HostFlag(f *pflag.FlagSet, host *string, usage string) {
	f.Var((*hostValue)(host), "host", usage)
}

// Waiting says whether a command waits until the server has done its work, and how often it polls meanwhile.
type Waiting struct {
	Wait     bool
	Interval time.Duration
}

// Flags adds --wait, and the flag for the interval.
func (w *Waiting) Flags(f *pflag.FlagSet) {
	f.BoolVarP(&w.Wait, "wait", "w", false, "wait until it is done")
	f.DurationVar(&w.Interval, "interval", time.Second, "how often --wait polls")
}

// CheckInterval refuses an interval between polls that is too short.
func CheckInterval(d time.Duration) error {
	if d < 100*time.Millisecond || d > time.Hour {
		return Usagef("--interval is %s: give 100ms to 1h", d)
	}
	return nil
}

// ParsePort parses a port that was given as text. The error contains the name of the setting or flag, so that the
// user can find a wrong port in the environment.
func ParsePort(name, text string, highest int) (int, error) {
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 || n > highest {
		return 0, Usagef("%s is %q: give a port of 1 to %d", name, text, highest)
	}
	return n, nil
}
