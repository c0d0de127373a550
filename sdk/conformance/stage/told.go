package stage

import (
	"strconv"
	"strings"

	"github.com/headrace/headrace/sdk/conformance/driver"
	"github.com/headrace/headrace/sdk/conformance/record"
)

// told takes what a driver says into the history, and answers what it asks.
func (c *cast) told(process string, e driver.Event) {
	fields := record.Fields{"process": process}
	set := func(name, value string) {
		if value != "" {
			fields[name] = value
		}
	}
	set("client", e.Client)
	set("subscriber", e.Subscriber)
	set("language", e.Language)
	set("id", e.ID)
	set("reason", e.Reason)
	set("field", e.Field)
	set("detail", e.Detail)
	if e.Limit != 0 {
		fields["limit"] = strconv.FormatInt(e.Limit, 10)
	}
	if e.Delivery != 0 {
		fields["delivery"] = strconv.Itoa(e.Delivery)
		c.describe(fields, e)
	}
	if e.Name != "" {
		c.name(fields, e.Name)
	}
	if e.Event == "started" {
		c.started(e, fields)
		return
	}
	c.history.Record(e.Event, fields)
}

func (c *cast) name(fields record.Fields, name string) {
	fields["message"], fields["number"] = name, numberOf(name)
	fields["prefix"] = strings.TrimSuffix(name, fields["number"])
}

// describe adds what is known of a delivery, so that later events of it can be found by
// their message.
func (c *cast) describe(fields record.Fields, e driver.Event) {
	if e.Message == nil {
		for _, s := range c.history.Find(record.Match{
			"event": {"started"}, "process": {fields["process"]}, "delivery": {fields["delivery"]},
		}) {
			c.name(fields, s.Fields["message"])
			fields["attempt"], fields["key"] = s.Fields["attempt"], s.Fields["key"]
		}
		return
	}
	name := nameOf(e.Message.Data)
	c.name(fields, name)
	fields["attempt"], fields["key"] = strconv.Itoa(e.Attempt), e.Message.Key
	fields["intact"] = "no"
	c.mu.Lock()
	defer c.mu.Unlock()
	if published, ok := c.published[name]; ok && same(&published, e.Message) {
		fields["intact"] = "yes"
	}
}

func (c *cast) started(e driver.Event, fields record.Fields) {
	c.mu.Lock()
	s := c.subscribers[e.Subscriber]
	c.mu.Unlock()
	if s != nil {
		s.started(e.Delivery, &record.Event{Kind: e.Event, Fields: fields})
	}
}
