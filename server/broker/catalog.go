package broker

import (
	"maps"
	"slices"
	"sync"

	"github.com/headrace/headrace/storage"
)

// catalog maps names to handles. Its mutex is held for the access to the maps only.
type catalog struct {
	mu            sync.RWMutex
	topics        map[Name]*topic
	subscriptions map[Name]*subscription
	// topicNames are by id.
	topicNames map[storage.TopicID]Name
}

func newCatalog() *catalog {
	return &catalog{
		topics: map[Name]*topic{}, subscriptions: map[Name]*subscription{}, topicNames: map[storage.TopicID]Name{},
	}
}

// topic finds a topic. Errors: ErrTopicNotFound.
func (c *catalog) topic(name Name) (*topic, error) {
	c.mu.RLock()
	defer c.mu.RUnlock()
	if t := c.topics[name]; t != nil {
		return t, nil
	}
	return nil, ErrTopicNotFound
}

// topicName is the name of a topic by its id; empty: it is not there.
func (c *catalog) topicName(id storage.TopicID) Name {
	c.mu.RLock()
	defer c.mu.RUnlock()
	return c.topicNames[id]
}

// subscription finds a subscription. Errors: ErrSubscriptionNotFound.
func (c *catalog) subscription(name Name) (*subscription, error) {
	c.mu.RLock()
	defer c.mu.RUnlock()
	if s := c.subscriptions[name]; s != nil {
		return s, nil
	}
	return nil, ErrSubscriptionNotFound
}

func (c *catalog) addTopic(t *topic) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.topics[t.name], c.topicNames[t.id] = t, t.name
}

func (c *catalog) addSubscription(s *subscription) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.subscriptions[s.name] = s
	if s.topic != nil {
		s.topic.subscriptions++
	}
}

func (c *catalog) removeTopic(t *topic) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.topics, t.name)
	delete(c.topicNames, t.id)
}

func (c *catalog) removeSubscription(s *subscription) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.subscriptions, s.name)
	if s.topic != nil {
		s.topic.subscriptions--
	}
}

// sizes are the numbers of topics and subscriptions.
func (c *catalog) sizes() (topics, subscriptions int) {
	c.mu.RLock()
	defer c.mu.RUnlock()
	return len(c.topics), len(c.subscriptions)
}

// subscriptionsOf is how many subscriptions a topic has.
func (c *catalog) subscriptionsOf(t *topic) int {
	c.mu.RLock()
	defer c.mu.RUnlock()
	return t.subscriptions
}

// allTopics lists the handles, in no order.
func (c *catalog) allTopics() []*topic {
	c.mu.RLock()
	defer c.mu.RUnlock()
	return slices.Collect(maps.Values(c.topics))
}

// allSubscriptions lists the handles, in no order.
func (c *catalog) allSubscriptions() []*subscription {
	c.mu.RLock()
	defer c.mu.RUnlock()
	return slices.Collect(maps.Values(c.subscriptions))
}
