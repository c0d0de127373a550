package broker

import "fmt"

// DeadLetterTopicError is returned when a topic cannot be a subscription's
// DeadLetterTopic.
type DeadLetterTopicError struct{ err error }

// Error tells why.
func (e *DeadLetterTopicError) Error() string { return fmt.Sprintf("dead_letter_topic: %v", e.err) }

// Unwrap gives the reason: ErrTopicNotFound or ErrDataLoss.
func (e *DeadLetterTopicError) Unwrap() error { return e.err }

// mayForward says why a subscription cannot have its dead letters forwarded as c says, or
// nil. Changes of the catalog do not interleave.
func (b *Broker) mayForward(c *SubscriptionConfig) error {
	if c.DeadLetterTopic == "" {
		return nil
	}
	if c.DeadLetterTopic == c.Topic {
		return invalidField("dead_letter_topic", "another topic than the subscription's own")
	}
	t, err := b.catalog.topic(c.DeadLetterTopic)
	if err == nil {
		err = t.damage
	}
	if err != nil {
		return &DeadLetterTopicError{err}
	}
	if b.catalog.leads(c.DeadLetterTopic, c.Topic) {
		return invalidField("dead_letter_topic", "a topic whose dead letters do not come back to the subscription's own")
	}
	return nil
}

// leads says whether dead letters of a topic's subscriptions may come to another topic,
// over others too.
func (c *catalog) leads(from, to Name) bool {
	ways := map[Name][]Name{}
	for _, s := range c.allSubscriptions() {
		if config := s.config.Load(); config.DeadLetterTopic != "" {
			ways[config.Topic] = append(ways[config.Topic], config.DeadLetterTopic)
		}
	}
	seen := map[Name]bool{}
	for next := []Name{from}; len(next) > 0; {
		topic := next[len(next)-1]
		next = next[:len(next)-1]
		if topic == to {
			return true
		}
		if !seen[topic] {
			seen[topic] = true
			next = append(next, ways[topic]...)
		}
	}
	return false
}

// ForwardedToError is returned when a topic should be deleted that is a subscription's
// DeadLetterTopic. It matches ErrTopicHasSubscriptions.
type ForwardedToError struct{ Subscription Name }

// Error tells the subscription.
func (e *ForwardedToError) Error() string {
	return fmt.Sprintf("%v: subscription %s forwards its dead letters to it", ErrTopicHasSubscriptions, e.Subscription)
}

// Unwrap makes a ForwardedToError match ErrTopicHasSubscriptions.
func (e *ForwardedToError) Unwrap() error { return ErrTopicHasSubscriptions }

// forwardedTo is a *ForwardedToError while a subscription has its dead letters forwarded
// to a topic, else nil.
func (c *catalog) forwardedTo(topic Name) error {
	for _, s := range c.allSubscriptions() {
		if s.config.Load().DeadLetterTopic == topic {
			return &ForwardedToError{Subscription: s.name}
		}
	}
	return nil
}
