package broker

import "errors"

// maxCachedTopics bounds the cache of a publisher.
const maxCachedTopics = 1024

// PublishTopic is a topic as a publisher resolved it.
type PublishTopic struct{ topic *topic }

// MaxMessageBytes is the largest encoded message that the topic takes, now.
func (t *PublishTopic) MaxMessageBytes() int { return t.topic.config.Load().MaxMessageBytes }

// PublishTopic resolves a topic for Publish. Errors: as Publisher.Topic.
func (b *Broker) PublishTopic(name string) (*PublishTopic, error) { return b.catalog.resolve(name) }

// resolve finds the topic of a name as a client wrote it.
func (c *catalog) resolve(text string) (*PublishTopic, error) {
	name, err := ParseName(text)
	if err != nil {
		return nil, err
	}
	t, err := c.topic(name)
	if err != nil {
		return nil, err
	}
	return &t.handle, t.usable()
}

// topicCache remembers the topics that a stream publishes to. Receive loop only.
type topicCache struct {
	catalog *catalog
	known   map[string]*PublishTopic
}

// resolve finds a topic. One that was deleted under the stream is told as such once.
func (c *topicCache) resolve(text string) (*PublishTopic, error) {
	if t := c.known[text]; t != nil {
		err := t.topic.usable()
		if errors.Is(err, ErrTopicDeleted) {
			delete(c.known, text)
		}
		return t, err
	}
	t, err := c.catalog.resolve(text)
	if err != nil {
		return nil, err
	}
	if len(c.known) >= maxCachedTopics {
		clear(c.known)
	}
	c.known[text] = t
	return t, nil
}
