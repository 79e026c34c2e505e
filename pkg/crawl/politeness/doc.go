// Package politeness asks hosts, and only as they allow: what robots.txt permits, at the pace that all workers of
// a host keep together, within its budget, and not during a pause that it has asked for.
//
// A [Lease] is the right of a batch to ask its host; an [Asker] sends the requests of one check under it. Redirects
// that lead to other hosts, and [Hosts.FetchResource], ask under a lease of their own, which a session takes and
// gives back.
package politeness
