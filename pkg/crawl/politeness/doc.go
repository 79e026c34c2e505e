// Package politeness sends requests to hosts as the hosts allow: only what robots.txt permits, at
// the pace that all workers together keep for a host, within the host's budget, and not during a
// pause that the host has asked for.
//
// A [Lease] is the right of a batch to send requests to its host; an [Asker] sends the requests of
// one check under that lease. Redirects to other hosts, and [Hosts.FetchResource], use a session,
// which acquires and releases a lease of its own.
package politeness
