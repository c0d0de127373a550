package config

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// Bytes is a size. It is written as a number of bytes, or with one of the units
// KiB, MiB and GiB: "256MiB", "1.5 GiB".
type Bytes int64

// byteUnits are the units that Bytes knows, the largest first.
var byteUnits = []struct {
	name string
	size float64
}{
	{"GiB", 1 << 30},
	{"MiB", 1 << 20},
	{"KiB", 1 << 10},
	{"B", 1},
}

// String writes the size in the largest unit that leaves no remainder.
func (b Bytes) String() string {
	for _, u := range byteUnits[:len(byteUnits)-1] {
		if b != 0 && b%Bytes(u.size) == 0 {
			return strconv.FormatInt(int64(b/Bytes(u.size)), 10) + u.name
		}
	}
	return strconv.FormatInt(int64(b), 10)
}

// Set reads a size, so that Bytes can be a flag.
func (b *Bytes) Set(text string) error {
	number, size := text, 1.0
	for _, u := range byteUnits {
		if rest, ok := strings.CutSuffix(text, u.name); ok {
			number, size = strings.TrimSpace(rest), u.size
			break
		}
	}
	value, err := strconv.ParseFloat(number, 64)
	if fits := value >= 0 && value*size <= math.MaxInt64/2; err != nil || !fits {
		return fmt.Errorf("%q is not a size; write a number of bytes, or one like 256MiB", text)
	}
	*b = Bytes(value * size)
	return nil
}

// Type names the flag's value in help texts.
func (b *Bytes) Type() string { return "bytes" }

// UnmarshalText reads a size from a file or the environment.
func (b *Bytes) UnmarshalText(text []byte) error { return b.Set(string(text)) }
