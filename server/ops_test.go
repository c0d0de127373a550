package server_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/prometheus/client_golang/prometheus"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/encoding/gzip"
	healthv1 "google.golang.org/grpc/health/grpc_health_v1"
	reflectionv1 "google.golang.org/grpc/reflection/grpc_reflection_v1"
	"google.golang.org/protobuf/proto"

	headracev1 "github.com/headrace/headrace/gen/go/headrace/v1"
	"github.com/headrace/headrace/server"
	"github.com/headrace/headrace/server/broker"
	"github.com/headrace/headrace/server/servertest"
	"github.com/headrace/headrace/storage/shardlog"
	"github.com/headrace/headrace/storage/storagetest"
)

func TestAServerOnTheNetworkAnswersClientsAndOperators(t *testing.T) {
	store := storagetest.NewStoreHarness(t, storagetest.MemoryHome(), shardlog.Options{})
	b, err := broker.New(store, broker.Config{})
	if err != nil {
		t.Fatal(err)
	}
	s, err := server.New(server.Config{Listen: "127.0.0.1:0", OpsListen: "127.0.0.1:0"}, b, store)
	if err != nil {
		t.Fatal(err)
	}
	if s.Addr() != nil || s.OpsAddr() != nil {
		t.Error("addresses before Listen")
	}
	if err := s.Listen(); err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	ran := make(chan error, 1)
	go func() { ran <- s.Run(ctx) }()
	<-s.Serving()

	conn, err := grpc.NewClient(s.Addr().String(), grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	topics := headracev1.NewTopicServiceClient(conn)
	if _, err := topics.CreateTopic(bounded(t), &headracev1.CreateTopicRequest{Topic: &headracev1.Topic{Name: "orders"}}); err != nil {
		t.Fatal(err)
	}
	publisher := headracev1.NewPublisherServiceClient(conn)
	if _, err := publisher.Publish(bounded(t), &headracev1.PublishRequest{Topic: "orders", Messages: numberedMessages(1, 1)}); err != nil {
		t.Fatal(err)
	}

	ops := "http://" + s.OpsAddr().String()
	for path, want := range map[string]string{"/livez": "ok\n", "/readyz": "ok\n"} {
		if status, body := get(t, ops+path); status != http.StatusOK || body != want {
			t.Errorf("%s: %d %q", path, status, body)
		}
	}
	_, metrics := get(t, ops+"/metrics")
	for _, line := range []string{
		`headrace_published_messages_total{topic="default/orders"} 1`,
		`headrace_publish_latency_seconds_count{topic="default/orders"} 1`,
		`headrace_accepts_publishes 1`,
		`grpc_server_handled_total{grpc_code="OK",grpc_method="Publish",grpc_service="headrace.v1.PublisherService",grpc_type="unary"} 1`,
		`go_goroutines`,
	} {
		if !strings.Contains(metrics, line) {
			t.Errorf("/metrics does not have %s", line)
		}
	}
	stop()
	if err := <-ran; err != nil {
		t.Errorf("Run returned %v", err)
	}
	http.DefaultClient.CloseIdleConnections()
}

func TestASecondServerOnOneAddressDoesNotStart(t *testing.T) {
	first := newServer(t, server.Config{Listen: "127.0.0.1:0", OpsListen: server.OpsOff})
	if err := first.Listen(); err != nil {
		t.Fatal(err)
	}
	second := newServer(t, server.Config{Listen: first.Addr().String(), OpsListen: server.OpsOff})
	if err := second.Run(t.Context()); err == nil {
		t.Error("the second server ran")
	}
	second.Stop()
	done, cancel := context.WithCancel(context.Background())
	cancel()
	if err := first.Run(done); err != nil {
		t.Errorf("the first server: %v", err)
	}
}

func TestStopUnbindsAServerThatNeverRan(t *testing.T) {
	s := newServer(t, server.Config{Listen: "127.0.0.1:0", OpsListen: "127.0.0.1:0"})
	if err := s.Listen(); err != nil {
		t.Fatal(err)
	}
	s.Stop()
	again := newServer(t, server.Config{Listen: s.Addr().String(), OpsListen: s.OpsAddr().String()})
	if err := again.Listen(); err != nil {
		t.Fatalf("the addresses are still bound: %v", err)
	}
	again.Stop()
}

func TestCollectorsAreShownBesideTheServersOwn(t *testing.T) {
	gauge := prometheus.NewGauge(prometheus.GaugeOpts{Name: "store_figure", Help: "A figure."})
	s := servertest.Start(t, servertest.Options{Server: server.Config{Collectors: []prometheus.Collector{gauge}}})
	families, err := s.Metrics().Gather()
	if err != nil {
		t.Fatal(err)
	}
	shown := false
	for _, f := range families {
		shown = shown || f.GetName() == "store_figure"
	}
	if !shown {
		t.Error("the collector is not shown")
	}
	if _, err := server.New(server.Config{Collectors: []prometheus.Collector{gauge, gauge}}, s.Broker, s.Store); err == nil {
		t.Error("one collector was taken twice")
	}
}

func TestStopToleratesEveryOrder(t *testing.T) {
	for range 20 {
		s := newServer(t, server.Config{Listen: "127.0.0.1:0", OpsListen: "127.0.0.1:0"})
		ctx, cancel := context.WithCancel(context.Background())
		var all sync.WaitGroup
		all.Go(func() {
			if err := s.Run(ctx); err != nil {
				t.Errorf("Run returned %v", err)
			}
		})
		all.Go(s.Stop)
		all.Go(cancel)
		all.Go(s.Stop)
		all.Wait()
		s.Stop()
	}
}

func TestMetricsOfASubscription(t *testing.T) {
	s := servertest.Start(t, servertest.Options{})
	session := holdOneMessage(t, s)
	families, err := s.Metrics().Gather()
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]float64{}
	for _, f := range families {
		for _, m := range f.GetMetric() {
			got[f.GetName()] = m.GetGauge().GetValue() + m.GetCounter().GetValue() + float64(m.GetHistogram().GetSampleCount())
		}
	}
	for name, want := range map[string]float64{
		"headrace_backlog_messages":          1,
		"headrace_outstanding_messages":      1,
		"headrace_sessions":                  1,
		"headrace_subscribe_streams":         1,
		"headrace_publish_streams":           0,
		"headrace_insecure":                  0,
		"headrace_deliveries_total":          1,
		"headrace_redeliveries_total":        0,
		"headrace_credit_available_messages": 999,
		"headrace_delivery_latency_seconds":  1,
	} {
		if value, ok := got[name]; !ok || value != want {
			t.Errorf("%s = %v (there: %v), want %v", name, value, ok, want)
		}
	}
	session.finish()
}

func TestMetricsNameABoundedNumberOfResources(t *testing.T) {
	s := servertest.Start(t, servertest.Options{Server: server.Config{MaxMetricResources: 2}})
	for _, topic := range []string{"orders", "parcels", "returns"} {
		s.CreateTopic(topic)
		s.Publish(topic, numberedMessages(1, 1)...)
	}
	families, err := s.Metrics().Gather()
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range families {
		if !strings.HasPrefix(f.GetName(), "headrace_") {
			continue
		}
		named := 0
		for _, m := range f.GetMetric() {
			for _, label := range m.GetLabel() {
				if label.GetName() == "topic" && label.GetValue() != "" {
					named++
				}
			}
		}
		if named > 2 {
			t.Errorf("%s names %d topics", f.GetName(), named)
		}
	}
}

func TestHealthAnswersForEachService(t *testing.T) {
	s := servertest.Start(t, servertest.Options{})
	health := healthv1.NewHealthClient(s.Conn)
	for _, service := range []string{
		"", "headrace.v1.PublisherService", "headrace.v1.SubscriberService", "headrace.v1.TopicService", "headrace.v1.SubscriptionService",
	} {
		r, err := health.Check(bounded(t), &healthv1.HealthCheckRequest{Service: service})
		if err != nil || r.GetStatus() != healthv1.HealthCheckResponse_SERVING {
			t.Errorf("%q: %v, %v", service, r, err)
		}
	}
}

func TestReflectionListsTheServices(t *testing.T) {
	s := servertest.Start(t, servertest.Options{})
	stream, err := reflectionv1.NewServerReflectionClient(s.Conn).ServerReflectionInfo(bounded(t))
	if err != nil {
		t.Fatal(err)
	}
	ask := &reflectionv1.ServerReflectionRequest{MessageRequest: &reflectionv1.ServerReflectionRequest_ListServices{}}
	if err := stream.Send(ask); err != nil {
		t.Fatal(err)
	}
	r, err := stream.Recv()
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, service := range r.GetListServicesResponse().GetService() {
		names = append(names, service.GetName())
	}
	if !slices.Contains(names, "headrace.v1.SubscriberService") || !slices.Contains(names, "headrace.v1.PublisherService") {
		t.Errorf("services = %v", names)
	}
	if err := stream.CloseSend(); err != nil {
		t.Fatal(err)
	}
	if _, err = stream.Recv(); !errors.Is(err, io.EOF) {
		t.Fatalf("after the end: %v", err)
	}
}

func TestAClientMayCompress(t *testing.T) {
	s := servertest.Start(t, servertest.Options{
		Dial: []grpc.DialOption{grpc.WithDefaultCallOptions(grpc.UseCompressor(gzip.Name))},
	})
	s.CreateTopic("orders")
	s.CreateSubscription("workers", "orders")
	data := strings.Repeat("x", 100_000)
	s.Publish("orders", &headracev1.Message{Data: []byte(data)})
	stub := openPublish(t, s)
	stub.send(batch("orders", 1, &headracev1.Message{Data: []byte(data)}))
	stub.await(1)
	stub.finish()
	session := openSubscribe(t, s, open.GetOpen())
	for received := 0; received < 2; {
		for _, m := range session.nextBatch().GetMessages() {
			if string(m.GetData()) != data {
				t.Fatalf("%d bytes came", len(m.GetData()))
			}
			received++
		}
	}
	session.finish()
}

func TestNoFrameIsLargerThanTheClientAccepts(t *testing.T) {
	const frameBytes, messages = 4096, 100
	s := servertest.Start(t, servertest.Options{})
	s.CreateTopicWith(&headracev1.Topic{Name: "orders", Partitions: 8})
	s.CreateSubscription("workers", "orders")
	for i := range messages {
		s.Publish("orders", &headracev1.Message{Data: make([]byte, 10*i), OrderingKey: strings.Repeat("k", i+1)})
	}
	session := openSubscribe(t, s, &headracev1.SubscribeRequest_Open{Subscription: "workers", MaxFrameBytes: frameBytes})
	if got := session.opened.GetLimits().GetMaxFrameBytes(); got != frameBytes {
		t.Errorf("max_frame_bytes in force: %d", got)
	}
	for received := 0; received < messages; {
		r := session.next()
		if size := proto.Size(r); size > frameBytes {
			t.Fatalf("a frame of %d bytes", size)
		}
		received += len(r.GetBatch().GetMessages())
	}
	session.finish()
}

func newServer(t *testing.T, c server.Config) *server.Server {
	t.Helper()
	store := storagetest.NewStoreHarness(t, storagetest.MemoryHome(), shardlog.Options{})
	b, err := broker.New(store, broker.Config{})
	if err != nil {
		t.Fatal(err)
	}
	s, err := server.New(c, b, store)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func get(t *testing.T, url string) (status int, body string) {
	t.Helper()
	r, err := http.Get(url)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Body.Close()
	b, err := io.ReadAll(r.Body)
	if err != nil {
		t.Fatal(err)
	}
	return r.StatusCode, string(b)
}
