package server

import (
	"context"

	"google.golang.org/protobuf/proto"

	headracev1 "github.com/headrace/headrace/gen/go/headrace/v1"
	"github.com/headrace/headrace/server/broker"
)

// topicService manages topics.
type topicService struct {
	headracev1.UnimplementedTopicServiceServer

	broker *broker.Broker
}

var _ headracev1.TopicServiceServer = (*topicService)(nil)

// CreateTopic creates a topic.
func (s *topicService) CreateTopic(
	ctx context.Context, r *headracev1.CreateTopicRequest,
) (*headracev1.CreateTopicResponse, error) {
	if err := checkServed(r.GetTopic()); err != nil {
		return nil, err
	}
	name, err := parseName("name", r.GetTopic().GetName())
	if err != nil {
		return nil, err
	}
	config, err := newTopicConfig(r.GetTopic(), s.broker.NewTopicConfig(name))
	if err != nil {
		return nil, err
	}
	topic, err := s.broker.CreateTopic(ctx, config)
	if err != nil {
		return nil, err
	}
	return &headracev1.CreateTopicResponse{Topic: topicProto(topic)}, nil
}

// GetTopic returns a topic.
func (s *topicService) GetTopic(
	_ context.Context, r *headracev1.GetTopicRequest,
) (*headracev1.GetTopicResponse, error) {
	name, err := parseName("topic", r.GetTopic())
	if err != nil {
		return nil, err
	}
	topic, err := s.broker.Topic(name)
	if err != nil {
		return nil, err
	}
	return &headracev1.GetTopicResponse{Topic: topicProto(topic)}, nil
}

// ListTopics returns a page of topics.
func (s *topicService) ListTopics(
	_ context.Context, r *headracev1.ListTopicsRequest,
) (*headracev1.ListTopicsResponse, error) {
	request, err := listRequest(r)
	if err != nil {
		return nil, err
	}
	return fitPage(request, func(request broker.ListRequest) (*headracev1.ListTopicsResponse, error) {
		topics, next, err := s.broker.ListTopics(request)
		out := &headracev1.ListTopicsResponse{NextPageToken: next}
		for _, t := range topics {
			out.Topics = append(out.Topics, topicProto(t))
		}
		return out, err
	})
}

// UpdateTopic changes what the mask names.
func (s *topicService) UpdateTopic(
	ctx context.Context, r *headracev1.UpdateTopicRequest,
) (*headracev1.UpdateTopicResponse, error) {
	if err := checkServed(r.GetTopic()); err != nil {
		return nil, err
	}
	name, err := parseName("name", r.GetTopic().GetName())
	if err != nil {
		return nil, err
	}
	if err := checkMask(r.GetUpdateMask().GetPaths(), topicPaths, r.GetTopic()); err != nil {
		return nil, err
	}
	defaults := s.broker.NewTopicConfig(name)
	topic, err := s.broker.UpdateTopic(ctx, name, func(c *broker.TopicConfig) error {
		return applyMask(r.GetUpdateMask().GetPaths(), topicPaths, c, r.GetTopic(), defaults)
	})
	if err != nil {
		return nil, err
	}
	return &headracev1.UpdateTopicResponse{Topic: topicProto(topic)}, nil
}

// DeleteTopic deletes a topic.
func (s *topicService) DeleteTopic(
	ctx context.Context, r *headracev1.DeleteTopicRequest,
) (*headracev1.DeleteTopicResponse, error) {
	name, err := parseName("topic", r.GetTopic())
	if err != nil {
		return nil, err
	}
	return &headracev1.DeleteTopicResponse{}, s.broker.DeleteTopic(ctx, name)
}

// GetTopicStats returns figures of a topic.
func (s *topicService) GetTopicStats(
	_ context.Context, r *headracev1.GetTopicStatsRequest,
) (*headracev1.GetTopicStatsResponse, error) {
	name, err := parseName("topic", r.GetTopic())
	if err != nil {
		return nil, err
	}
	stats, err := s.broker.TopicStats(name)
	if err != nil {
		return nil, err
	}
	return &headracev1.GetTopicStatsResponse{Stats: topicStatsProto(stats)}, nil
}

// fits says whether an answer is small enough for every client.
func fits(m proto.Message) bool { return proto.Size(m) <= stockFrameBytes }
