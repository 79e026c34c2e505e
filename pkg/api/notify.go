package api

import "time"

// RuleFilter says which changes a rule tells of: those that the filter wants and, where they are given, of which a
// passage that was added or removed matches a regular expression (RE2).
type RuleFilter struct {
	ChangeFilter

	Added   string `json:"added,omitempty"`
	Removed string `json:"removed,omitempty"`
}

// QuietHours are the hours of each day in which a rule is silent. What comes then is told when they are over.
type QuietHours struct {
	From     string `json:"from"` // such as 22:00
	To       string `json:"to"`   // such as 07:00
	Timezone string `json:"timezone,omitempty"`
}

// RuleSpec says of which changes which channels are told, and when.
type RuleSpec struct {
	Name     string     `json:"name"`
	Filter   RuleFilter `json:"filter,omitzero"`
	Channels []string   `json:"channels"`         // names of channels, at most 10
	Digest   string     `json:"digest,omitempty"` // none, the default, for messages at once; hourly; or daily
	At       string     `json:"at,omitempty"`     // the time of a daily digest, such as 07:30
	Timezone string     `json:"timezone,omitempty"`

	QuietHours *QuietHours `json:"quietHours,omitempty"`
}

// RuleID names a rule.
type RuleID struct {
	ID string `json:"-" path:"id"` // The rule.
}

// RuleUpdate is what a rule becomes.
type RuleUpdate struct {
	ID string `json:"id,omitempty" path:"id"` // The rule.

	RuleSpec
}

// Rule is one with what is known of it.
type Rule struct {
	ID string `json:"id"`

	RuleSpec

	Origin  string    `json:"origin"` // here, or file: those are changed there
	Created time.Time `json:"created,omitzero"`
	// Gathered are the changes that wait for the next digest.
	Gathered int `json:"gathered,omitempty"`
}

// Rules are all of them, by name.
type Rules struct {
	Rules []Rule `json:"rules"`
}

// RuleTest says what a rule would have told of lately: in the last 30 days, and of at most 1,000 changes.
type RuleTest struct {
	Looked  int `json:"looked"` // at so many of the newest changes
	Matched int `json:"matched"`
	// Message is the title of a message: of the newest change, or of a digest of all of them.
	Message string       `json:"message,omitempty"`
	Changes []FeedChange `json:"changes"` // the newest 20 of them
}

// ChannelSpec is a way to tell people or programs. Secrets are settings, and named here.
type ChannelSpec struct {
	Name string `json:"name"`
	Kind string `json:"kind"`          // webhook or shoutrrr
	URL  string `json:"url,omitempty"` // of a webhook
	// Secret names the setting CREDENTIAL_NAME=secret whsec_… by which a webhook is signed.
	Secret string `json:"secret,omitempty"`
	// URLFrom names the setting CREDENTIAL_NAME=secret ADDRESS that has the address, such as slack://…
	URLFrom string `json:"urlFrom,omitempty"`
}

// ChannelUpdate is what a channel becomes. A webhook without secret keeps the one that it got.
type ChannelUpdate struct {
	Name    string `json:"name,omitempty" path:"name"` // The channel.
	Kind    string `json:"kind"`
	URL     string `json:"url,omitempty"`
	Secret  string `json:"secret,omitempty"`
	URLFrom string `json:"urlFrom,omitempty"`
}

// ChannelName names a channel.
type ChannelName struct {
	Name string `json:"-" path:"name"` // The channel.
}

// Channel is one with what is known of it.
type Channel struct {
	ChannelSpec

	Origin  string `json:"origin"`            // here, or file: those are changed there
	Service string `json:"service,omitempty"` // of kind shoutrrr: slack, smtp and so on
	Problem string `json:"problem,omitempty"` // why nothing can be sent now
	// RestsUntil is when the next message is tried, after some that failed.
	RestsUntil time.Time `json:"restsUntil,omitzero"`
	// SigningSecret is that of a webhook which named none. It is shown once, in the answer that made it.
	SigningSecret string `json:"signingSecret,omitempty"`
}

// Channels are all of them, by name.
type Channels struct {
	Channels []Channel `json:"channels"`
}

// ReceiverAnswer is what a receiver said.
type ReceiverAnswer struct {
	OK     bool   `json:"ok"`
	Status int    `json:"status,omitempty"` // of HTTP, or of SMTP
	Body   string `json:"body,omitempty"`   // the first 500 bytes
	Error  string `json:"error,omitempty"`
}

// DeliveryQuery asks for deliveries: those that wait, then the others, the newest first.
type DeliveryQuery struct {
	Rule    string `json:"rule,omitempty"`    // Only those of this rule.
	Channel string `json:"channel,omitempty"` // Only those to this channel.
	State   string `json:"state,omitempty"`   // waiting, sent or failed.
	Top     int    `json:"top,omitempty" default:"50" min:"1" max:"500"`
	// That of the page before; leave it out for the first.
	Continuation string `json:"continuation,omitempty"`
}

// DeliveryID names a delivery.
type DeliveryID struct {
	ID string `json:"-" path:"id"` // The delivery.
}

// Delivery is a message to a channel.
type Delivery struct {
	ID          string         `json:"id"` // the webhook-id
	Rule        string         `json:"rule"`
	Channel     string         `json:"channel"`
	Type        string         `json:"type"` // tidemark.change or tidemark.digest
	Title       string         `json:"title"`
	State       string         `json:"state"` // waiting, sent or failed
	Created     time.Time      `json:"created"`
	Attempts    int            `json:"attempts"`
	LastAttempt time.Time      `json:"lastAttempt,omitzero"`
	NextAttempt time.Time      `json:"nextAttempt,omitzero"` // while it waits
	Answer      ReceiverAnswer `json:"answer,omitzero"`      // to the last attempt
	Count       int            `json:"count"`                // of changes
	First       string         `json:"first"`                // the change, or the first of a digest
	Last        string         `json:"last"`                 // the last
}

// DeliveryPage is a page of deliveries.
type DeliveryPage struct {
	Deliveries   []Delivery `json:"deliveries"`
	Continuation string     `json:"continuation,omitempty"`
}

// ChangeID names a change.
type ChangeID struct {
	ID string `json:"-" path:"id"` // The change.
}

// ChangeWhy says who was told of a change, and why. The change itself has what was ignored of it.
type ChangeWhy struct {
	Change     FeedChange `json:"change"`
	Rules      []MetRule  `json:"rules"` // those that it meets as they are now
	Deliveries []Delivery `json:"deliveries"`
}

// MetRule is a rule that a change meets.
type MetRule struct {
	ID   string `json:"id"`
	Name string `json:"name"`
}

// EventType is what a message says, by CloudEvents.
type EventType string

// The types of events.
const (
	EventChange EventType = "tidemark.change"
	EventDigest EventType = "tidemark.digest"
	EventTest   EventType = "tidemark.test"
)

// ChangeEvent is the body of a webhook for one change: CloudEvents 1.0 in JSON.
type ChangeEvent struct {
	Event

	Data FeedChange `json:"data"`
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

// Event is what all events have.
type Event struct {
	SpecVersion     string    `json:"specversion"` // 1.0
	ID              string    `json:"id"`          // as the header webhook-id: the same whenever it is sent again
	Source          string    `json:"source"`
	Type            EventType `json:"type"`
	Subject         string    `json:"subject,omitempty"` // what has changed
	Time            time.Time `json:"time"`
	DataContentType string    `json:"datacontenttype"`
	Rule            string    `json:"rule,omitempty"` // the id of the rule that was met
}

// Digest says what has changed in some time.
type Digest struct {
	Title string         `json:"title"` // such as: 312 pages were added
	Rule  string         `json:"rule"`  // the name of the rule that was met
	Count int            `json:"count"`
	Kinds map[string]int `json:"kinds"` // how many changes of which kind
	// Changes are the first 20. All of them: GET changes with order=oldest, this since, and the rule's filter.
	Changes []FeedChange `json:"changes"`
	Since   string       `json:"since"`
	Last    string       `json:"last"` // the id of the last change
}

// TestMessage says that this is a test.
type TestMessage struct {
	Title string `json:"title"`
}
