// Package notify notifies people and programs of changes. Each change that a rule matches reaches each channel of the
// rule at least once, always with the same id, even if processes die. Digests keep the number of messages small,
// however many changes there are.
//
// # How it works
//
// A timer follows the feed ([Follower.Follow]), and so does a process that has just written a change which a rule wants
// ([Follower.Soon]). A step reads new changes and lets every rule decide about them ([digestPlan]). In one transaction
// it commits the deliveries, the changes that the rules have gathered, and the new position in the feed. So a step that
// dies has no effect, and of two concurrent steps only one takes effect. For each delivery the step sends a message to
// a queue. The queue's worker sends the delivery ([Worker.Deliver]).
//
//	Notifications  notify   state        position in the feed, and what rules have gathered that are not for one page
//	               notify   g<page>      what the rules for one page have gathered, while they need it
//	               notify   w<delivery>  a delivery that waits
//	               notify   d<delivery>  a delivery that was sent, or has failed
//	               notify   n<page>.<id> a rule that can fire nowhere, of which its channels know
//	               notify   h<channel>   when those receivers of a channel that failed are tried next
//	               ruleset  <page>.<id>  a rule; without the page if it is not for one page
//	               ruleset  ~<id>        the page under which the rule is stored
//	               channels <name>       a channel
//
// The id of a delivery is made from the position of its last change, from its rule and from its channel. Newer
// positions sort first. If the message of a delivery was lost, the timer sends it again after [lostAfter]. A worker
// claims a delivery for [sendLease] by its ETag, so two workers do not send it at the same time. If a worker dies,
// another one takes over.
//
// A delivery has a target for each receiver of its channel: each chat, room or mail address. A failed target is retried
// with growing pauses for a day. After that it has failed for good, until a user sends the delivery again, which goes
// to the targets that were not sent. A receiver that accepts nothing at all rests: only one message tries it again.
// When all receivers of a channel rest, its messages wait and need no worker. A process sends at most [perChannel]
// messages to a channel at the same time.
//
// # Why rules begin at their creation
//
// A rule stores the position in the feed at which it was created or switched on, and reports no earlier change. So
// what it gathered before it was switched off is known to be over. A digest stores only the range of its changes in the
// feed. Its message is written when the digest is due.
package notify
