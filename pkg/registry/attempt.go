package registry

import (
	"cmp"
	"strings"
)

// Attempt names one try to do a job: the queue message that brought the job, the host instance that received the
// message, and the handler process. The zero Attempt names nothing.
type Attempt struct{ Message, Instance, Process string }

// AttemptBy returns the attempt at the job that a message brings to a process of an instance. A job that was moved to
// another queue keeps the name of its first message.
func (j Job) AttemptBy(message, instance, process string) Attempt {
	return Attempt{cmp.Or(j.Message, message), instance, process}
}

// owner returns the name of the owner of a lock that the attempt begins. The token makes the name unique.
func (a Attempt) owner(token string) string {
	if a.Message == "" || a.Instance == "" {
		return token
	}
	return strings.Join([]string{token, a.Message, a.Instance, a.Process}, "|")
}

// follows reports whether the owner of a lock is an earlier process of the attempt's own instance that had the same
// message. That process is dead: an instance has one handler process at a time, and gives a message to another one
// only after the call of the first has failed. Of other instances nothing is known, so their locks must end.
func (a Attempt) follows(owner string) bool {
	f := strings.Split(owner, "|")
	return a.Message != "" && a.Instance != "" && len(f) == 4 && f[1] == a.Message && f[2] == a.Instance &&
		f[3] != a.Process
}
