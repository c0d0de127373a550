package config

import (
	"errors"
	"fmt"
	"net"
	"slices"
	"time"
)

// Server is what `headrace serve` runs with. The tags of a field give its key,
// its unit and what it means; the default is in Default.
type Server struct {
	Dir              string        `koanf:"dir" unit:"path" help:"The data directory; made when it is not there."`
	Listen           string        `koanf:"listen" unit:"host:port" help:"Where clients connect; port 0 takes a free one."`
	OpsListen        string        `koanf:"ops_listen" unit:"host:port" help:"Where /metrics, /livez and /readyz answer over HTTP; off: nowhere."`
	Insecure         bool          `koanf:"insecure" unit:"true or false" help:"Allow listening beyond the loopback interface, where anyone who can connect may do anything."`
	DrainTimeout     time.Duration `koanf:"drain_timeout" unit:"duration" help:"How long a stop waits for what clients still hold."`
	MaxMessageBytes  Bytes         `koanf:"max_message_bytes" unit:"bytes" help:"The largest encoded message that a topic may allow."`
	PublishMemory    Bytes         `koanf:"publish_memory" unit:"bytes" help:"What messages between receipt and result may take together; above it publishers are slowed down."`
	OutboundMemory   Bytes         `koanf:"outbound_memory" unit:"bytes" help:"What all frames that wait for slow readers may take together."`
	TailMemory       Bytes         `koanf:"tail_memory" unit:"bytes" help:"What recent messages, kept in memory for live subscribers, may take together."`
	CacheMemory      Bytes         `koanf:"cache_memory" unit:"bytes" help:"What messages read from disk, kept in memory for subscribers that lag, may take together."`
	DiskHighMark     Bytes         `koanf:"disk_high_mark" unit:"bytes" help:"Free space below which publishes are refused while all else goes on; 0: 416MiB."`
	DiskLowMark      Bytes         `koanf:"disk_low_mark" unit:"bytes" help:"Free space below which nothing is stored; 0: 160MiB, or the high mark where that is less."`
	Ballast          Bytes         `koanf:"ballast" unit:"bytes" help:"Disk kept by a file that is given up when the server has to start on a full disk; 0: none."`
	MaxTopics        int           `koanf:"max_topics" unit:"number" help:"The most topics."`
	MaxSubscriptions int           `koanf:"max_subscriptions" unit:"number" help:"The most subscriptions."`
	MaxSessions      int           `koanf:"max_sessions" unit:"number" help:"The most sessions that are open at the same time."`
	AcceptLoss       BatchRanges   `koanf:"accept_loss" unit:"first-last,…" help:"Give up missing batches: exactly those that a start without it was refused for."`
	LogLevel         string        `koanf:"log_level" unit:"debug, info, warn, error" help:"The least level that is logged."`
	LogFormat        string        `koanf:"log_format" unit:"auto, text, json" help:"How log lines look; auto is text on a terminal, else JSON."`
	Restless         bool          `koanf:"restless" unit:"true or false" help:"For tests: keep files as small as is legal, and rotate, compact, collect and trim all the time."`
	Testing          bool          `koanf:"testing" unit:"true or false" help:"For tests: let clients move the clock and have calls fail, by TestControlService; on the loopback interface only."`
	ClockOffsetFile  string        `koanf:"clock_offset_file" unit:"path" help:"For tests: a file that says by how much the wall clock is off, as a duration, read again and again; empty: none."`
}

// Default is a server for one machine that answers on the loopback interface
// alone.
func Default() Server {
	return Server{
		Dir:              "headrace-data",
		Listen:           "127.0.0.1:7070",
		OpsListen:        "127.0.0.1:7071",
		DrainTimeout:     25 * time.Second,
		MaxMessageBytes:  1 << 20,
		PublishMemory:    256 << 20,
		OutboundMemory:   256 << 20,
		TailMemory:       64 << 20,
		CacheMemory:      32 << 20,
		Ballast:          64 << 20,
		MaxTopics:        100_000,
		MaxSubscriptions: 100_000,
		MaxSessions:      100_000,
		LogLevel:         "info",
		LogFormat:        "auto",
	}
}

// opsOff as ops_listen means that nothing answers there.
const opsOff = "off"

// maxMessageBytes is the most that max_message_bytes may be: what the wire
// contract allows.
const maxMessageBytes = 32 << 20

// Validate reports every value that a server cannot run with, all together.
func (s Server) Validate() error {
	return errors.Join(
		s.validateDir(),
		s.validateListen("listen", s.Listen),
		s.validateOpsListen(),
		s.validateTesting(),
		positive("drain_timeout", s.DrainTimeout),
		s.validateMaxMessage(),
		positive("publish_memory", s.PublishMemory),
		positive("outbound_memory", s.OutboundMemory),
		positive("tail_memory", s.TailMemory),
		positive("cache_memory", s.CacheMemory),
		s.validateMarks(),
		positive("max_topics", s.MaxTopics),
		positive("max_subscriptions", s.MaxSubscriptions),
		positive("max_sessions", s.MaxSessions),
		oneOf("log_level", s.LogLevel, "debug", "info", "warn", "error"),
		oneOf("log_format", s.LogFormat, "auto", "text", "json"),
	)
}

func (s Server) validateDir() error {
	if s.Dir == "" {
		return errors.New("dir: must not be empty")
	}
	return nil
}

func (s Server) validateOpsListen() error {
	if s.OpsListen == opsOff {
		return nil
	}
	return s.validateListen("ops_listen", s.OpsListen)
}

// validateListen refuses to open an unprotected server to the network by
// accident: without authentication only the loopback interface is safe.
func (s Server) validateListen(key, address string) error {
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		return fmt.Errorf("%s: %q is not host:port", key, address)
	}
	if s.Insecure || isLoopback(host) {
		return nil
	}
	return fmt.Errorf("%s: %q can be reached from other machines, and there is no authentication; "+
		"use a loopback address, or set insecure", key, address)
}

// validateTesting refuses a server for tests that others can reach.
func (s Server) validateTesting() error {
	host, _, err := net.SplitHostPort(s.Listen)
	if !s.Testing || err == nil && isLoopback(host) {
		return nil
	}
	return fmt.Errorf("testing: a server for tests listens on the loopback interface only, not on %q", s.Listen)
}

func isLoopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || (ip != nil && ip.IsLoopback())
}

func (s Server) validateMaxMessage() error {
	if s.MaxMessageBytes < 1 || s.MaxMessageBytes > maxMessageBytes {
		return fmt.Errorf("max_message_bytes: %s is not within 1 and %s", s.MaxMessageBytes, Bytes(maxMessageBytes))
	}
	return nil
}

// validateMarks refuses marks that would let the disk fill up: Badger does not survive
// that.
func (s Server) validateMarks() error {
	const least = 64 << 20
	switch {
	case s.DiskHighMark != 0 && s.DiskHighMark < least:
		return fmt.Errorf("disk_high_mark: %s is below %s", s.DiskHighMark, Bytes(least))
	case s.DiskLowMark != 0 && s.DiskLowMark < least:
		return fmt.Errorf("disk_low_mark: %s is below %s", s.DiskLowMark, Bytes(least))
	case s.DiskHighMark != 0 && s.DiskLowMark > s.DiskHighMark:
		return fmt.Errorf("disk_low_mark: %s is above disk_high_mark, %s", s.DiskLowMark, s.DiskHighMark)
	}
	return nil
}

func positive[N ~int | ~int64](key string, value N) error {
	if value <= 0 {
		return fmt.Errorf("%s: must be above 0", key)
	}
	return nil
}

func oneOf(key, value string, known ...string) error {
	if slices.Contains(known, value) {
		return nil
	}
	return fmt.Errorf("%s: %q is none of %v", key, value, known)
}
