package config_test

import (
	"testing"

	"github.com/headrace/headrace/cmd/headrace/internal/config"
)

func TestBytesReadsWhatItWrites(t *testing.T) {
	for _, want := range []config.Bytes{0, 1, 1000, 1 << 10, 1536, 3 << 20, 2 << 30} {
		var got config.Bytes
		if err := got.Set(want.String()); err != nil || got != want {
			t.Errorf("%s: %d, %v; want %d", want, got, err, want)
		}
	}
}

func TestBytesReadsUnits(t *testing.T) {
	for text, want := range map[string]config.Bytes{"12": 12, "12B": 12, "1.5 KiB": 1536, "256MiB": 256 << 20, "2GiB": 2 << 30} {
		var got config.Bytes
		if err := got.Set(text); err != nil || got != want {
			t.Errorf("%q: %d, %v; want %d", text, got, err, want)
		}
	}
}

func TestBytesRefuses(t *testing.T) {
	for _, text := range []string{"", "MiB", "-1", "12MB", "1e30GiB", "NaN", "Inf", "twelve"} {
		var got config.Bytes
		if err := got.Set(text); err == nil {
			t.Errorf("%q was taken as %d", text, got)
		}
	}
}
