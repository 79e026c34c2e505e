// Package politeness sends requests to hosts, and only as they allow: what robots.txt permits, at the pace that all
// workers keep together for a host, within the host's budget, and not during a pause that the host has asked for.
//
// A [Lease] is the right of a batch to send requests to its host; an [Asker] sends the requests of one check under
// it. Redirects to other hosts, and [Hosts.FetchResource], use a lease of their own, which a session acquires and
// releases.
package politeness
