package api

import "time"

// RuleFilter selects the changes that a rule reports. Added and Removed are regular expressions (RE2). If Added is
// set, an added passage must match it. If Removed is set, a removed passage must match it.
type RuleFilter struct {
	ChangeFilter

	// the only page that the rule is for; it cannot be changed later
	ItemID string `json:"itemId,omitempty" label:"Page" flag:"-"`
	Item   string `json:"item,omitempty" also:"itemId"` // another name of itemId
	// pages that a search of the list of items finds when they change, by host, tag and words:
	// host=shop.example&tag=price&find=lamp
	Items string `json:"items,omitempty" label:"Pages that a search finds" flag:"items SEARCH"`
	// a regular expression (RE2), such as € ?[0-9]+, that an added line must match
	Added string `json:"added,omitempty" label:"Added text matches" flag:"added EXPRESSION"`
	// a regular expression (RE2) that a removed line must match
	Removed string `json:"removed,omitempty" label:"Removed text matches" flag:"removed EXPRESSION"`
}

// QuietHours are hours of the day in which a rule sends nothing. Changes in that time are sent afterwards.
type QuietHours struct {
	// such as 22:00; messages wait from then on
	From string `json:"from" label:"Quiet hours from" flag:"-" format:"clock"`
	// such as 07:00; what has changed in between is sent then
	To       string `json:"to" label:"Quiet hours to" flag:"-" format:"clock"`
	Timezone string `json:"timezone,omitempty" label:"Time zone of the quiet hours" flag:"quiet-timezone ZONE" format:"zone"` // by default, that of the messages
}

// RuleSpec says which changes are sent to which channels, and when.
type RuleSpec struct {
	Name     string     `json:"name" label:"Name" flag:"name NAME"` // shown in its messages
	Filter   RuleFilter `json:"filter,omitzero"`
	Channels []string   `json:"channels" label:"Sent to" flag:"channel NAME,NAME"` // names of channels, at most 10
	// when messages are sent; hourly, daily and weekly gather changes in one message
	Digest string `json:"digest,omitempty" label:"Sent" flag:"-" choices:"none=at once|hourly|daily|weekly" default:"none"`
	// when daily or weekly messages are sent, such as 07:30
	At string `json:"at,omitempty" label:"Time of day" flag:"-" format:"clock"`
	// the day of weekly messages; Monday by default
	On string `json:"on,omitempty" label:"Day of the week" flag:"on DAY" choices:"mon|tue|wed|thu|fri|sat|sun" default:"mon"`
	// that of daily and weekly messages and of the quiet hours, such as Europe/Paris; default UTC
	Timezone string `json:"timezone,omitempty" label:"Time zone" flag:"timezone ZONE" format:"zone"`
	// it reports nothing, and forgets what it has gathered; switched on again, it reports changes from then on
	Off     bool  `json:"off,omitempty" label:"Switched off"`
	Enabled *bool `json:"enabled,omitempty" also:"not off"` // the opposite of off; one of the two is enough

	// only when a value of the page meets this condition, such as price < 80 EUR, price changes by 10 %, availability
	// goes to InStock, version changes or price disappears; without it, every change that the filter selects
	When *Condition `json:"when,omitempty" label:"Condition" flag:"when CONDITION" unit:"whole"`

	// its pages are checked at least this often, 1m to 30d, whatever their interval is; without it, as their settings say
	Every string `json:"every,omitempty" label:"Pages checked at least every" flag:"every 15m" format:"length"`
	// hours without messages
	QuietHours *QuietHours `json:"quietHours,omitempty" label:"Quiet hours" flag:"quiet 22:00-07:00" unit:"whole"`
	// the words of messages about a single change, not of gathered ones
	Message *MessageWording `json:"message,omitempty"`
}

// RuleSaving says how a rule is saved. It is not kept.
type RuleSaving struct {
	Anyway bool `json:"anyway,omitempty"` // Save it even if it can fire on none of its pages.
	// Send a message at once about each page, at most ten, on which the condition holds already.
	Now bool `json:"now,omitempty"`
}

// NewRule makes a rule, or tries one.
type NewRule struct {
	RuleSpec
	RuleSaving
}

// MessageWording words a message, with variables such as {{title}}, {{summary}} or {{link}}. It is text: what would be
// markup for a service is escaped. A line whose variables are all empty is left out.
type MessageWording struct {
	// one line of at most 300 bytes, such as {{title}}: {{summary}}; by default, it says what changed
	Title string `json:"title,omitempty" label:"Title of messages" flag:"message-title TEXT"`
	// at most 4,000 bytes, such as {{difference}}; it replaces the address and the links that messages have otherwise
	Text string `json:"text,omitempty" label:"Text of messages" flag:"message-text TEXT" format:"lines"`
}

// RuleQuery lists rules.
type RuleQuery struct {
	ItemID string `json:"itemId,omitempty"` // Only the rules for this page.
	// Only rules that can fire on none of their pages, or that are broken, at most top.
	Cannot bool `json:"cannot,omitempty"`
	Brief  bool `json:"brief,omitempty"`                                // Without lastTold, for which the newest messages are read.
	Top    int  `json:"top,omitempty" default:"500" min:"1" max:"5000"` // Rules for one page per page of the answer.
	// The continuation of the previous page; omit it for the first page.
	Continuation string `json:"continuation,omitempty"`
}

// RuleID identifies a rule.
type RuleID struct {
	ID string `json:"-" path:"id"` // The rule.
}

// RuleUpdate replaces a rule.
type RuleUpdate struct {
	ID string `json:"id,omitempty" path:"id"` // The rule.

	RuleSpec
	RuleSaving
}

// RulePatch changes a rule (JSON Merge Patch, RFC 7396): what is left out stays, null removes a setting.
type RulePatch struct {
	ID string `json:"-" path:"id"` // The rule.
	RuleSpec
	RuleSaving
	Patching
}

// Rule is a rule and its state.
type Rule struct {
	ID string `json:"id"`

	RuleSpec

	Enabled bool      `json:"enabled"` // the opposite of off
	Origin  string    `json:"origin"`  // where the rule is edited: here (through the API) or file (in the file of rules)
	Created time.Time `json:"created,omitzero"`
	// LastTold is when its newest message was made, of the last thousand messages of all rules. A list has it only if the
	// request asks for it.
	LastTold time.Time `json:"lastTold,omitzero"`
	// Gathered is the number of changes that wait for the next digest.
	Gathered int `json:"gathered,omitempty"`
	// Problem is why the rule reports nothing at present, for example because a regular expression is too large.
	Problem string `json:"problem,omitempty"`
	// Warning is why the rule can fire on none of its pages: the first of Cannot as a sentence.
	Warning string `json:"warning,omitempty"`
	Firing
	// Cost says what every costs the site: about 24 requests a day for each page.
	Cost string `json:"cost,omitempty"`
	// Run is the bulk run that moves the next checks of the rule's pages; see POST items/bulk. Only the answer to a change
	// of a rule that is not for one page has it.
	Run   string `json:"run,omitempty"`
	URL   string `json:"url,omitempty"`   // for a rule for one page: the page's address
	Title string `json:"title,omitempty"` // for a rule for one page: the page's title when the rule was saved
	// Undo takes this change back. Only the answer to a change has it.
	Undo *Undo `json:"undo,omitempty"`
}

// Rules lists rules: first all that are not for one page, by name, then those for one page, by page.
type Rules struct {
	Rules        []Rule `json:"rules"`
	Continuation string `json:"continuation,omitempty"`
}

// RuleTest shows what a rule would have sent for the changes of the last 30 days. The test examines at most 5,000
// changes.
type RuleTest struct {
	Looked  int `json:"looked"` // number of changes examined, newest first
	Matched int `json:"matched"`
	// Messages is the number of messages to each channel that would have reported these changes.
	Messages int `json:"messages"`
	// Cut is true if there were older changes of the last 30 days, which were not examined.
	Cut bool `json:"cut,omitempty"`
	// Warning and Cost are as in a rule.
	Warning string `json:"warning,omitempty"`
	Firing
	Cost string `json:"cost,omitempty"`
	// ProposedEvery is how often pages should be checked for such a rule, as every has it: 15m for what is in stock, 1h
	// for a price, 6h for tables and lists, 1d for anything else.
	ProposedEvery string `json:"proposedEvery,omitempty"`
	// Partial is true if the test ended early because the regular expressions take too long.
	Partial bool `json:"partial,omitempty"`
	// Message is the title of the message for the newest of these changes, or of the digest of them all.
	Message string `json:"message,omitempty"`
	// Preview shows the message for the newest of these changes. It is left out for a rule of digests, and if there is no
	// such change and none can be made up that the rule would send.
	Preview *MessagePreview `json:"preview,omitempty"`
	Changes []FeedChange    `json:"changes"` // the newest 20 changes that the rule matches
}

// MessagePreview is a message as each channel gets it.
type MessagePreview struct {
	ChangeID string `json:"changeId,omitempty"` // the change that the message is about
	// Sample is true if the rule matches no change yet: the message is about a change that is made up.
	Sample bool `json:"sample,omitempty"`
	// Messages has one message for each channel of the rule, or one if the rule has no channel. There is none for a
	// webhook if the rule does not word its messages: it gets the change.
	Messages []ShownMessage `json:"messages"`
}

// ShownMessage is a message in the form in which a service gets it: characters that would be markup are escaped.
type ShownMessage struct {
	Channel string `json:"channel,omitempty"`
	Service string `json:"service,omitempty"`
	Title   string `json:"title,omitempty"` // left out where the service has one text, which begins with the title
	Text    string `json:"text"`
	Cut     bool   `json:"cut,omitempty"` // the service does not take all of it; the text ends in …
}

// ChannelSpec says where messages are sent.
type ChannelSpec struct {
	Name string `json:"name"`
	ChannelSettings
}

// ChannelSettings are what people set of a channel.
type ChannelSettings struct {
	// webhook, the name of a service such as smtp or slack, or shoutrrr for an address in a setting
	Kind string `json:"kind" label:"Kind" flag:"kind KIND"`
	// address of the webhook, to which messages are posted; a key of the scope read gets only its host
	URL string `json:"url,omitempty" label:"Address" flag:"webhook URL"`
	// the NAME of a setting CREDENTIAL_NAME=secret whsec_… that signs messages to a webhook; by default a secret is made
	Secret string `json:"secret,omitempty" label:"Name of the setting with its secret" flag:"secret NAME"`
	// the NAME of a setting CREDENTIAL_NAME=secret ADDRESS to which messages are sent, such as slack://…
	URLFrom string `json:"urlFrom,omitempty" label:"Name of the setting with the address" flag:"service NAME"`
	// fields of a service by name, such as host, from and to of mail; a secret one is stored encrypted and never
	// returned. If it is left out, it stays as long as messages go to the same host and port; an empty one is removed
	Fields map[string]string `json:"fields,omitempty" label:"Fields" flag:"field NAME=VALUE"`
}

// ChannelUpdate replaces a channel. A webhook that is replaced without a secret keeps the secret that was generated
// for it.
type ChannelUpdate struct {
	Name string `json:"name,omitempty" path:"name"` // The channel.
	ChannelSettings
}

// ChannelPatch changes a channel (JSON Merge Patch, RFC 7396): what is left out stays, also its stored secrets, and
// null removes a setting. The fields of a service are merged by their names; an empty one is removed, too.
type ChannelPatch struct {
	Name string `json:"-" path:"name"` // The channel.
	ChannelSettings
	Patching
}

// ChannelTest is a channel to test. With a kind, that is the channel that the other fields describe, and nothing is
// saved; stored secrets of the channel with this name are used as when it is replaced. Without a kind, it is the
// channel as it is stored.
type ChannelTest struct {
	Name    string            `json:"name,omitempty" path:"name"` // The channel.
	Kind    string            `json:"kind,omitempty"`
	URL     string            `json:"url,omitempty"`
	Secret  string            `json:"secret,omitempty"`
	URLFrom string            `json:"urlFrom,omitempty"`
	Fields  map[string]string `json:"fields,omitempty"`
}

// Test returns the request that tests a channel as it is described here.
func (c ChannelSpec) Test() ChannelTest {
	return ChannelTest{Name: c.Name, Kind: c.Kind, URL: c.URL, Secret: c.Secret, URLFrom: c.URLFrom, Fields: c.Fields}
}

// ChannelCheck is what is wrong with a channel that is not saved yet.
type ChannelCheck struct {
	Errors []FieldError `json:"errors"`
	// Problem is why no message can be sent there at present, such as an address that is not allowed.
	Problem string `json:"problem,omitempty"`
	To      string `json:"to,omitempty"` // where messages go: host and port
}

// ChannelName identifies a channel by its name.
type ChannelName struct {
	Name string `json:"-" path:"name"` // The channel.
}

// Channel is a channel and its state.
type Channel struct {
	ChannelSpec

	// where the channel is edited: here (through the API) or file (in the file of rules)
	Origin  string   `json:"origin"`
	Service string   `json:"service,omitempty"` // the service, such as slack or smtp; empty for a webhook
	To      string   `json:"to,omitempty"`      // where messages of a service with fields go: host and port
	Secrets []string `json:"secrets,omitempty"` // names of the fields with a stored secret
	Problem string   `json:"problem,omitempty"` // why nothing can be sent at present
	// RestsUntil is when sending to the channel is tried again after failures.
	RestsUntil time.Time `json:"restsUntil,omitzero"`
	// SigningSecret is the secret that was generated for a webhook given without one. It is shown only once, in the
	// answer to the request that added the webhook.
	SigningSecret string `json:"signingSecret,omitempty"`
}

// Channels lists all channels, by name.
type Channels struct {
	Channels []Channel `json:"channels"`
	// NoSecrets is why secrets that are typed cannot be stored at present.
	NoSecrets string `json:"noSecrets,omitempty"`
}

// ReceiverAnswer is the answer of a message's receiver.
type ReceiverAnswer struct {
	OK     bool   `json:"ok"`
	Status int    `json:"status,omitempty"` // the HTTP or SMTP status
	Body   string `json:"body,omitempty"`   // the first 500 bytes
	Error  string `json:"error,omitempty"`
	// NotSent is true if the receiver was not asked at all: its address or its secret is missing, or may not be used.
	NotSent bool `json:"notSent,omitempty"`
}

// DeliveryQuery lists deliveries: waiting ones first, then the others, newest first.
type DeliveryQuery struct {
	Rule    string `json:"rule,omitempty"`    // Only deliveries of this rule.
	Channel string `json:"channel,omitempty"` // Only deliveries to this channel.
	State   string `json:"state,omitempty"`   // waiting, sent or failed.
	Top     int    `json:"top,omitempty" default:"50" min:"1" max:"500"`
	// The continuation of the previous page; omit it for the first page.
	Continuation string `json:"continuation,omitempty"`
}

// DeliveryID identifies a delivery.
type DeliveryID struct {
	ID string `json:"-" path:"id"` // The delivery.
}

// Delivery is a message to a channel.
type Delivery struct {
	ID          string         `json:"id"` // id of the message, sent to webhooks as webhook-id
	Rule        string         `json:"rule"`
	Channel     string         `json:"channel"`
	Type        string         `json:"type"` // tidemark.change or tidemark.digest
	Title       string         `json:"title"`
	State       string         `json:"state"` // waiting, sent or failed
	Created     time.Time      `json:"created"`
	Attempts    int            `json:"attempts"`
	LastAttempt time.Time      `json:"lastAttempt,omitzero"`
	NextAttempt time.Time      `json:"nextAttempt,omitzero"` // when the delivery is tried again, while it waits
	Answer      ReceiverAnswer `json:"answer,omitzero"`      // the receiver's answer to the last attempt
	// Targets are the receivers of the message. The message is sent when all of them have it. It has failed when some
	// never had it; a retry goes to these.
	Targets []DeliveryTarget `json:"targets"`
	Count   int              `json:"count"` // number of changes
	First   string           `json:"first"` // id of the change, or of the first in a digest
	Last    string           `json:"last"`  // id of the last change
}

// DeliveryTarget is a receiver of a message: a chat, a room or a mail address. The only receiver of a channel has the
// name of the channel. Targets are known from the first attempt on.
type DeliveryTarget struct {
	Name        string         `json:"name"`
	State       string         `json:"state"` // waiting, sent or failed
	Attempts    int            `json:"attempts"`
	NextAttempt time.Time      `json:"nextAttempt,omitzero"` // when the target is tried again, while it waits
	Answer      ReceiverAnswer `json:"answer,omitzero"`      // the target's answer to the last attempt
}

// DeliveryPage is a page of deliveries.
type DeliveryPage struct {
	Deliveries   []Delivery `json:"deliveries"`
	Continuation string     `json:"continuation,omitempty"`
}

// ChangeID identifies a change.
type ChangeID struct {
	ID  string `json:"-" path:"id"`                                  // The change.
	Top int    `json:"top,omitempty" default:"10" min:"1" max:"500"` // Rules per page of the answer.
	// The continuation of the previous page; omit it for the first page.
	Continuation string `json:"continuation,omitempty"`
}

// ChangeWhy says who was notified of a change, and why. The change itself lists the text that was ignored.
type ChangeWhy struct {
	Change     FeedChange `json:"change"`
	Rules      []MetRule  `json:"rules"` // the current rules that the change matches
	Deliveries []Delivery `json:"deliveries"`
	// Mutes are the mutes that covered the change: messages about it were kept back.
	Mutes []Mute `json:"mutes,omitempty"`
	Outcomes
	Continuation string `json:"continuation,omitempty"` // for the next rules
}

// MetRule is a rule that matches a change.
type MetRule struct {
	ID   string `json:"id"`
	Name string `json:"name"`
}

// EventType is the CloudEvents type of a message.
type EventType string

// The types of events.
const (
	EventChange EventType = "tidemark.change"
	EventDigest EventType = "tidemark.digest"
	EventTest   EventType = "tidemark.test"
	EventCannot EventType = "tidemark.cannot"
)

// CannotEvent is the body of a webhook for a rule that can fire on none of its pages any more. It is sent once.
type CannotEvent struct {
	Event

	Data RuleStopped `json:"data"`
}

// RuleStopped says why a rule can report nothing.
type RuleStopped struct {
	Name    string `json:"name"`    // of the rule
	Warning string `json:"warning"` // the first of cannot as a sentence
	Firing
	Link string `json:"link,omitempty"` // the page of the rule in the dashboard
}

// ChangeEvent is the body of a webhook for one change: CloudEvents 1.0 in JSON.
type ChangeEvent struct {
	Event

	Data ReportedChange `json:"data"`
}

// ReportedChange is a change in a message.
type ReportedChange struct {
	FeedChange

	RuleName string       `json:"ruleName,omitempty"` // name of the rule; left out in a digest
	Links    MessageLinks `json:"links,omitzero"`
	// Message is the message as the rule words it; left out if the rule does not.
	Message *MessageWording `json:"message,omitempty"`
}

// DigestEvent is the body of a webhook for several changes.
type DigestEvent struct {
	Event

	Data Digest `json:"data"`
}

// TestEvent is the body of a webhook for a test.
type TestEvent struct {
	Event

	Data TestMessage `json:"data"`
}

// MessageLinks lead from a message back to the installation. They are left out while it has no address; see
// [PublicAddress].
type MessageLinks struct {
	Difference string `json:"difference,omitempty"` // the place of the difference
	Why        string `json:"why,omitempty"`        // why the message was sent, and to whom
	Mute       string `json:"mute,omitempty"`       // a page that mutes the page for the rule; it works for 30 days
}

// Event has the fields that all events share.
type Event struct {
	SpecVersion     string    `json:"specversion"` // 1.0
	ID              string    `json:"id"`          // same as the webhook-id header; unchanged when the message is sent again
	Source          string    `json:"source"`
	Type            EventType `json:"type"`
	Subject         string    `json:"subject,omitempty"` // what has changed
	Time            time.Time `json:"time"`
	DataContentType string    `json:"datacontenttype"`
	Rule            string    `json:"rule,omitempty"` // id of the rule that matched
}

// Digest summarizes the changes of a period.
type Digest struct {
	Title string         `json:"title"` // such as: 312 pages were added
	Rule  string         `json:"rule"`  // name of the rule that matched
	Count int            `json:"count"`
	Kinds map[string]int `json:"kinds"` // number of changes by kind
	// Changes are the first 20 changes. To get all of them, send GET changes with order=oldest, with since as in the
	// digest, and with the rule's filter.
	Changes []ReportedChange `json:"changes"`
	// Alike are the equal changes of a host on several pages, gathered.
	Alike []AlikeChanges `json:"alike,omitempty"`
	Since string         `json:"since"`
	Last  string         `json:"last"` // id of the last change
}

// AlikeChanges are changes of pages of a host that are equal in their kind and their difference.
type AlikeChanges struct {
	Host     string           `json:"host"`
	Kind     ChangeKind       `json:"kind"`
	Count    int              `json:"count"` // number of pages
	Passages []ChangedPassage `json:"passages"`
	URLs     []string         `json:"urls"` // the first pages, at most 100, and 64 KiB in a digest
}

// TestMessage is a test message.
type TestMessage struct {
	Title string `json:"title"`
}
