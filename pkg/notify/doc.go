// Package notify notifies people and programs of changes. Each change that a rule matches reaches each channel of the
// rule at least once, always with the same id, even when processes die. Digests keep the number of messages small,
// however many changes there are.
//
// # How it works
//
// A timer follows the feed ([Follower.Follow]). A step reads new changes, lets every rule decide (package digest),
// and commits in one transaction the deliveries, what the rules have gathered, and its position in the feed. So a
// step that dies has no effect, and of two concurrent steps only one has. For each delivery the step sends a message
// to a queue, whose worker sends the delivery ([Worker.Deliver]).
//
//	Notifications  notify   state        position in the feed, and what each rule has gathered
//	               notify   w<delivery>  a delivery that waits
//	               notify   d<delivery>  one that was sent, or has failed
//	               notify   h<channel>   when a channel that failed is tried next
//	               rules    <id>         a rule
//	               channels <name>       a channel
//
// The id of a delivery is made from the position of its (last) change, so that the newest sort first, from its rule
// and from its channel. The timer sends a lost message again, after [lostAfter]. A worker claims a delivery for
// [sendLease] by its ETag, so two workers do not send it at once; when one dies, another takes over.
//
// A failed delivery is retried with growing pauses for a day. After that it has failed for good, until a user sends
// it again. A channel that accepts nothing at all is paused as a whole: one message tries it, the others wait and
// cost no worker any time. A process sends at most [perChannel] messages to a channel at once.
//
// # Why rules begin at their creation
//
// A rule has a position in the feed, and does not report earlier changes. A digest stores no changes, only their
// range in the feed. Its message is written when it is due.
package notify
