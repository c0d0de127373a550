package driver

// Command is what a driver is told.
type Command struct {
	Do         string `json:"do"`
	Client     string `json:"client,omitempty"`
	Subscriber string `json:"subscriber,omitempty"`
	// Address is where to connect.
	Address string `json:"address,omitempty"`
	// Topic and Messages are what to publish.
	Topic    string    `json:"topic,omitempty"`
	Messages []Message `json:"messages,omitempty"`
	// Subscription, Face and Settings are how to receive.
	Subscription string `json:"subscription,omitempty"`
	Face         string `json:"face,omitempty"`
	// Settings' window is also what to resize a window to.
	*Settings
	// Delivery is the number that the driver gave it.
	Delivery int `json:"delivery,omitempty"`
	// Verdict is what becomes of it, as in a scenario.
	Verdict string `json:"verdict,omitempty"`
	// DelayMS is a retry's delay; -1: none.
	DelayMS int64 `json:"delay_ms,omitempty"`
}

// Settings are a subscriber's; 0: the SDK's default.
type Settings struct {
	WindowMessages int `json:"window_messages"`
	WindowBytes    int `json:"window_bytes"`
	// Resizable gives the subscriber a window object of that size, which the command
	// "window" resizes, instead of a fixed window.
	Resizable      bool  `json:"resizable"`
	Manual         bool  `json:"manual"`
	Ahead          int   `json:"ahead"`
	Concurrency    int   `json:"concurrency"`
	LeaseMS        int64 `json:"lease_ms"`
	MaxExtensionMS int64 `json:"max_extension_ms"`
	DrainMS        int64 `json:"drain_ms"`
}

// Message is a message to publish, or as it was delivered.
type Message struct {
	// Name is what the driver calls it when it tells of the result.
	Name        string            `json:"name,omitempty"`
	Data        []byte            `json:"data"`
	Key         string            `json:"key"`
	Attributes  map[string]string `json:"attributes"`
	ContentType string            `json:"content_type"`
	DedupeID    string            `json:"dedupe_id,omitempty"`
}

// Event is what a driver tells.
type Event struct {
	Event      string `json:"event"`
	Client     string `json:"client"`
	Subscriber string `json:"subscriber"`
	// Language is what a driver says of itself.
	Language string `json:"language"`
	// Name is a message's, with its ID.
	Name string `json:"name"`
	ID   string `json:"id"`
	// Delivery is the number of a delivery, Attempt which one it is, Message what came.
	Delivery int      `json:"delivery"`
	Attempt  int      `json:"attempt"`
	Message  *Message `json:"message"`
	// Reason, Field and Limit say why something failed; Reason why a delivery was lost.
	Reason string `json:"reason"`
	Field  string `json:"field"`
	Limit  int64  `json:"limit"`
	// Detail is for people.
	Detail string `json:"detail"`
}
