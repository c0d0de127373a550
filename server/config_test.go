package server

import (
	"strings"
	"testing"
	"time"
)

func TestConfigDefaultsAreValid(t *testing.T) {
	if err := (Config{}).Validate(); err != nil {
		t.Fatal(err)
	}
	d := Config{}.withDefaults()
	if d.Listen != DefaultListen || d.DrainTimeout != DefaultDrainTimeout || d.MaxStreams != DefaultMaxStreams || d.Logger == nil {
		t.Fatalf("defaults %+v", d)
	}
}

func TestConfigsThatCannotRun(t *testing.T) {
	for field, c := range map[string]Config{
		"Listen: \"0.0.0.0:7070\" can be reached": {Listen: "0.0.0.0:7070"},
		"Listen: \":7070\" can be reached":        {Listen: ":7070"},
		"Listen: \"example.com:1\" can be":        {Listen: "example.com:1"},
		"OpsListen: \"10.0.0.1:7071\" can be":     {OpsListen: "10.0.0.1:7071"},
		"Listen: \"7070\" is not host:port":       {Listen: "7070"},
		"DrainTimeout":                            {DrainTimeout: -1},
		"MaxMessageBytes":                         {MaxMessageBytes: 32<<20 + 1},
		"MaxMessageBytes: -1":                     {MaxMessageBytes: -1},
		"KeepaliveInterval":                       {KeepaliveInterval: -1},
		"ReadBufferBytes":                         {ReadBufferBytes: -1},
		"both at least 64 KiB":                    {StreamWindowBytes: 1 << 20},
		"TestControl: Listen: \"0.0.0.0:7070\"":   {Listen: "0.0.0.0:7070", Insecure: true, TestControl: &TestControl{AdvanceWall: func(time.Duration) {}}},
		"TestControl.AdvanceWall":                 {TestControl: &TestControl{}},
		"both at least 64 KiB, or none":           {ConnectionWindowBytes: 1 << 20, StreamWindowBytes: 1},
	} {
		if err := c.Validate(); err == nil || !strings.Contains(err.Error(), field) {
			t.Errorf("%s: Validate returned %v", field, err)
		}
	}
}

func TestConfigsThatCanRun(t *testing.T) {
	for name, c := range map[string]Config{
		"loopback v6":       {Listen: "[::1]:0"},
		"localhost":         {Listen: "localhost:7070"},
		"open, as wanted":   {Listen: "0.0.0.0:7070", OpsListen: ":7071", Insecure: true},
		"no operations":     {OpsListen: OpsOff},
		"both windows":      {StreamWindowBytes: 1 << 20, ConnectionWindowBytes: 4 << 20},
		"the largest limit": {MaxMessageBytes: 32 << 20},
	} {
		if err := c.Validate(); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestEveryProblemOfAConfigIsToldAtOnce(t *testing.T) {
	err := Config{Listen: "nowhere", DrainTimeout: -1}.Validate()
	if err == nil || !strings.Contains(err.Error(), "Listen") || !strings.Contains(err.Error(), "DrainTimeout") {
		t.Fatalf("Validate returned %v", err)
	}
}
