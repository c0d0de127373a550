package headrace

import (
	"context"
	"iter"

	headracev1 "github.com/headrace/headrace/gen/go/headrace/v1"
	"google.golang.org/protobuf/types/known/fieldmaskpb"
)

// Topics manages topics. It is made by [Client.Topics]. Every change is durable
// before its call returns. The messages are those of the contract; see the
// package's caveats.
type Topics struct {
	rpc headracev1.TopicServiceClient
}

// Create creates a topic and returns it as stored, with every default filled in.
// Errors: [ErrInvalidName], [ErrInvalidField], [ErrNotServed], [ErrTopicExists],
// [ErrLimitReached], [ErrDiskFull].
func (t *Topics) Create(ctx context.Context, topic *headracev1.Topic) (*headracev1.Topic, error) {
	r, err := t.rpc.CreateTopic(ctx, &headracev1.CreateTopicRequest{Topic: topic})
	return r.GetTopic(), translate(err)
}

// Get returns a topic. Errors: [ErrInvalidName], [ErrTopicNotFound].
func (t *Topics) Get(ctx context.Context, name string) (*headracev1.Topic, error) {
	r, err := t.rpc.GetTopic(ctx, &headracev1.GetTopicRequest{Topic: name})
	return r.GetTopic(), translate(err)
}

// List returns the topics in order of their names, asking for one page after the
// other as the loop goes on. An error is the last element: [ErrInvalidField]. The options:
// [InNamespace].
func (t *Topics) List(ctx context.Context, opts ...ListOption) iter.Seq2[*headracev1.Topic, error] {
	c := newListConfig(opts)
	return pages(func(token string) ([]*headracev1.Topic, string, error) {
		r, err := t.rpc.ListTopics(ctx, &headracev1.ListTopicsRequest{
			Namespace: c.namespace, PageSize: listPageSize, PageToken: token,
		})
		return r.GetTopics(), r.GetNextPageToken(), translate(err)
	})
}

// Update changes the fields of the topic named topic.Name that fields lists:
// "retention", "retention.min_age", "retention.keep_settled",
// "max_message_bytes", "labels"; at least one.
// It returns the topic as stored. Errors: [ErrInvalidName], [ErrInvalidField],
// [ErrNotServed], [ErrTopicNotFound].
func (t *Topics) Update(ctx context.Context, topic *headracev1.Topic, fields ...string) (*headracev1.Topic, error) {
	r, err := t.rpc.UpdateTopic(ctx, &headracev1.UpdateTopicRequest{
		Topic: topic, UpdateMask: &fieldmaskpb.FieldMask{Paths: fields},
	})
	return r.GetTopic(), translate(err)
}

// Delete deletes a topic and its messages. Errors: [ErrInvalidName],
// [ErrTopicNotFound], [ErrTopicHasSubscriptions].
func (t *Topics) Delete(ctx context.Context, name string) error {
	_, err := t.rpc.DeleteTopic(ctx, &headracev1.DeleteTopicRequest{Topic: name})
	return translate(err)
}

// Stats returns figures of a topic at this moment. Errors: [ErrInvalidName],
// [ErrTopicNotFound].
func (t *Topics) Stats(ctx context.Context, name string) (*headracev1.TopicStats, error) {
	r, err := t.rpc.GetTopicStats(ctx, &headracev1.GetTopicStatsRequest{Topic: name})
	return r.GetStats(), translate(err)
}
