package output

import (
	"fmt"
	"strconv"
	"time"
)

// Count writes a number with commas between the thousands.
func Count[N ~int | ~int64 | ~uint32 | ~uint64](n N) string {
	digits := strconv.FormatInt(int64(n), 10)
	sign := ""
	if digits[0] == '-' {
		sign, digits = "-", digits[1:]
	}
	for i := len(digits) - 3; i > 0; i -= 3 {
		digits = digits[:i] + "," + digits[i:]
	}
	return sign + digits
}

// Size writes a number of bytes in the largest binary unit that leaves at least
// one before the point.
func Size(bytes uint64) string {
	if bytes < 1<<10 {
		return strconv.FormatUint(bytes, 10) + " B"
	}
	value, unit := float64(bytes)/(1<<10), 0
	for value >= 1<<10 && unit < len(sizeUnits)-1 {
		value /= 1 << 10
		unit++
	}
	return fmt.Sprintf("%.1f %s", value, sizeUnits[unit])
}

var sizeUnits = []string{"KiB", "MiB", "GiB", "TiB"}

// Age writes a duration as people say it: two units at most.
func Age(d time.Duration) string {
	switch {
	case d < time.Second:
		return d.Round(time.Millisecond).String()
	case d < time.Minute:
		return d.Round(100 * time.Millisecond).String()
	case d < time.Hour:
		return twoUnits(int(d.Minutes()), "m", int(d.Seconds())%60, "s")
	case d < 48*time.Hour:
		return twoUnits(int(d.Hours()), "h", int(d.Minutes())%60, "m")
	default:
		return twoUnits(int(d.Hours())/24, "d", int(d.Hours())%24, "h")
	}
}

// twoUnits leaves the smaller unit out when there is none of it.
func twoUnits(large int, largeUnit string, small int, smallUnit string) string {
	text := strconv.Itoa(large) + largeUnit
	if small > 0 {
		text += strconv.Itoa(small) + smallUnit
	}
	return text
}
