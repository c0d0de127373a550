package server

import (
	"errors"
	"fmt"
	"log/slog"
	"net"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/headrace/headrace/server/broker"
)

// Defaults of Config.
const (
	DefaultListen       = "127.0.0.1:7070"
	DefaultOpsListen    = "127.0.0.1:7071"
	DefaultDrainTimeout = 25 * time.Second

	DefaultMaxStreams         = 256
	DefaultMaxHeaderBytes     = 16 << 10
	DefaultHandshakeTimeout   = 10 * time.Second
	DefaultKeepaliveInterval  = 30 * time.Second
	DefaultKeepaliveTimeout   = 10 * time.Second
	DefaultMinPingInterval    = 20 * time.Second
	DefaultTransportBufBytes  = 128 << 10
	DefaultMaxMetricResources = 1000

	// OpsOff as OpsListen means no operations listener.
	OpsOff = "off"
)

// Config is how a Server is set. The zero value of each field means its default;
// the zero Config is valid.
type Config struct {
	// Listen is where clients connect, as host:port; port 0 takes a free one.
	// Default DefaultListen.
	Listen string
	// OpsListen is where /metrics, /livez and /readyz answer over HTTP, as
	// host:port. Default DefaultOpsListen; OpsOff: nowhere.
	OpsListen string
	// Insecure allows listening beyond the loopback interface. There is no
	// authentication yet: anyone who can connect may then do anything.
	Insecure bool
	// DrainTimeout is how long Run waits, once it is told to stop, for what clients
	// still hold. Default DefaultDrainTimeout.
	DrainTimeout time.Duration
	// MaxMessageBytes is the largest encoded message of any topic, in bytes: the
	// broker's. Default broker.DefaultMaxMessageBytes, at most
	// broker.LargestMaxMessageBytes.
	MaxMessageBytes int

	// MaxStreams bounds the streams of one connection. Default DefaultMaxStreams.
	MaxStreams uint32
	// MaxHeaderBytes bounds the headers of one call. Default DefaultMaxHeaderBytes.
	MaxHeaderBytes uint32
	// HandshakeTimeout is how long a connection may take to be made. Default
	// DefaultHandshakeTimeout.
	HandshakeTimeout time.Duration
	// KeepaliveInterval is after how much silence a client is pinged, and
	// KeepaliveTimeout how long its answer may take. Defaults
	// DefaultKeepaliveInterval, DefaultKeepaliveTimeout.
	KeepaliveInterval, KeepaliveTimeout time.Duration
	// MinPingInterval is how often a client may ping, also without streams; one that
	// does so more often is cut off. Default DefaultMinPingInterval.
	MinPingInterval time.Duration
	// ReadBufferBytes and WriteBufferBytes are the buffers of one connection.
	// Defaults DefaultTransportBufBytes.
	ReadBufferBytes, WriteBufferBytes int
	// StreamWindowBytes and ConnectionWindowBytes are the receive windows of HTTP/2.
	// Both are set, or none: then they grow with what the connection can carry.
	// Default none.
	StreamWindowBytes, ConnectionWindowBytes int32

	// MaxMetricResources bounds the topics, and the subscriptions, that the metrics
	// name one by one; those beyond, in order of their names, are left out. Default
	// DefaultMaxMetricResources.
	MaxMetricResources int
	// Collectors are further metrics to show beside the server's own: those of the
	// store below it. Default none.
	Collectors []prometheus.Collector
	// Backup backs up the store below the broker. Default: backups are not served.
	Backup Backup
	// TestControl, when set, lets clients move the server's clock and have calls fail.
	// Such a server listens on the loopback interface only. Default: none.
	TestControl *TestControl
	// Logger gets what an operator should know. Default slog.Default().
	Logger *slog.Logger
}

// Validate says what a server cannot run with, everything together.
func (c Config) Validate() error {
	d := c.withDefaults()
	return errors.Join(
		validateListen("Listen", d.Listen, d.Insecure),
		validateOpsListen(d),
		validateTestControl(d),
		notNegative("DrainTimeout", int64(d.DrainTimeout)),
		within("MaxMessageBytes", int64(d.MaxMessageBytes), 1, broker.LargestMaxMessageBytes),
		notNegative("HandshakeTimeout", int64(d.HandshakeTimeout)),
		notNegative("KeepaliveInterval", int64(d.KeepaliveInterval)),
		notNegative("KeepaliveTimeout", int64(d.KeepaliveTimeout)),
		notNegative("MinPingInterval", int64(d.MinPingInterval)),
		notNegative("ReadBufferBytes", int64(d.ReadBufferBytes)),
		notNegative("WriteBufferBytes", int64(d.WriteBufferBytes)),
		notNegative("MaxMetricResources", int64(d.MaxMetricResources)),
		validateWindows(d),
	)
}

// withDefaults returns c with every zero field set to its default.
func (c Config) withDefaults() Config {
	orDefault(&c.Listen, DefaultListen)
	orDefault(&c.OpsListen, DefaultOpsListen)
	orDefault(&c.DrainTimeout, DefaultDrainTimeout)
	orDefault(&c.MaxMessageBytes, broker.DefaultMaxMessageBytes)
	orDefault(&c.MaxStreams, DefaultMaxStreams)
	orDefault(&c.MaxHeaderBytes, DefaultMaxHeaderBytes)
	orDefault(&c.HandshakeTimeout, DefaultHandshakeTimeout)
	orDefault(&c.KeepaliveInterval, DefaultKeepaliveInterval)
	orDefault(&c.KeepaliveTimeout, DefaultKeepaliveTimeout)
	orDefault(&c.MinPingInterval, DefaultMinPingInterval)
	orDefault(&c.ReadBufferBytes, DefaultTransportBufBytes)
	orDefault(&c.WriteBufferBytes, DefaultTransportBufBytes)
	orDefault(&c.MaxMetricResources, DefaultMaxMetricResources)
	orDefault(&c.Logger, slog.Default())
	return c
}

func orDefault[T comparable](field *T, fallback T) {
	var zero T
	if *field == zero {
		*field = fallback
	}
}

// validateListen refuses to open an unprotected server to the network by accident.
func validateListen(field, address string, insecure bool) error {
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		return fmt.Errorf("%s: %q is not host:port", field, address)
	}
	if insecure || isLoopback(host) {
		return nil
	}
	return fmt.Errorf("%s: %q can be reached from other machines, and there is no authentication; "+
		"use a loopback address, or set Insecure", field, address)
}

func validateOpsListen(c Config) error {
	if c.OpsListen == OpsOff {
		return nil
	}
	return validateListen("OpsListen", c.OpsListen, c.Insecure)
}

// validateTestControl refuses a server for tests that others can reach.
func validateTestControl(c Config) error {
	if c.TestControl == nil {
		return nil
	}
	if c.TestControl.AdvanceWall == nil {
		return errors.New("TestControl.AdvanceWall: must be set")
	}
	return validateListen("TestControl: Listen", c.Listen, false)
}

func isLoopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || (ip != nil && ip.IsLoopback())
}

// validateWindows refuses one window without the other: gRPC stops growing both
// when one is set, and leaves the other at 64 KiB.
func validateWindows(c Config) error {
	const minWindowBytes = 64 << 10
	stream, connection := c.StreamWindowBytes, c.ConnectionWindowBytes
	if stream == 0 && connection == 0 {
		return nil
	}
	if stream < minWindowBytes || connection < minWindowBytes {
		return errors.New("StreamWindowBytes, ConnectionWindowBytes: both at least 64 KiB, or none")
	}
	return nil
}

func notNegative(field string, value int64) error {
	if value < 0 {
		return fmt.Errorf("%s: must not be negative", field)
	}
	return nil
}

func within(field string, value, low, high int64) error {
	if value < low || value > high {
		return fmt.Errorf("%s: %d is not within %d and %d", field, value, low, high)
	}
	return nil
}
