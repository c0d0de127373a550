package server

import (
	"google.golang.org/protobuf/types/known/durationpb"

	headracev1 "github.com/headrace/headrace/gen/go/headrace/v1"
	"github.com/headrace/headrace/server/broker"
)

func takeRetention(c *broker.TopicConfig, t *headracev1.Topic, defaults broker.TopicConfig) error {
	for _, take := range []taker[broker.TopicConfig, *headracev1.Topic]{takeMinAge, takeMaxAge, takeMaxBytes, takeKeepSettled} {
		if err := take(c, t, defaults); err != nil {
			return err
		}
	}
	if t.GetRetention().GetMinAge() == nil && c.MaxAge > 0 {
		c.MinAge = min(c.MinAge, c.MaxAge)
	}
	return nil
}

func takeMinAge(c *broker.TopicConfig, t *headracev1.Topic, defaults broker.TopicConfig) (err error) {
	c.MinAge, err = duration("retention.min_age", t.GetRetention().GetMinAge(), 0, broker.MaxMinAge, defaults.MinAge)
	return err
}

func takeMaxAge(c *broker.TopicConfig, t *headracev1.Topic, defaults broker.TopicConfig) (err error) {
	c.MaxAge, err = duration("retention.max_age", t.GetRetention().GetMaxAge(), 0, broker.MaxMinAge, defaults.MaxAge)
	return err
}

func takeMaxBytes(c *broker.TopicConfig, t *headracev1.Topic, defaults broker.TopicConfig) error {
	c.MaxBytes = t.GetRetention().GetMaxBytes()
	if c.MaxBytes == 0 {
		c.MaxBytes = defaults.MaxBytes
	}
	return nil
}

func takeKeepSettled(c *broker.TopicConfig, t *headracev1.Topic, defaults broker.TopicConfig) (err error) {
	kept := t.GetRetention().GetKeepSettled()
	c.KeepSettled, err = duration("retention.keep_settled", kept, 0, broker.MaxKeepSettled, defaults.KeepSettled)
	return err
}

func retentionProto(t *broker.Topic) *headracev1.Retention {
	r := &headracev1.Retention{MinAge: durationpb.New(t.MinAge), MaxBytes: t.MaxBytes, KeepSettled: ageProto(t.KeepSettled)}
	if t.MaxAge > 0 {
		r.MaxAge = durationpb.New(t.MaxAge)
	}
	return r
}
