package history

import "time"

// noticeTime is how long the server may go on sending to a session whose client is
// dead.
const noticeTime = time.Second

// losses are the sessions that broke while the server lived, and those that lived for
// a lease when it died, in the order of time. Each may have been sent what its client
// never wrote down, and that was charged.
type losses struct {
	times []Instant
	// before is how many had been noticed at the last look.
	before int
}

func (l *losses) add(now Instant) { l.times = append(l.times, now) }

func (l *losses) total() uint64 { return uint64(len(l.times)) }

// noticed is how many sessions the server must know by now to be broken: they get
// nothing any more. Only with a time that does not go back.
func (l *losses) noticed(now Instant) uint64 {
	for l.before < len(l.times) && now.Sub(l.times[l.before]) > noticeTime {
		l.before++
	}
	return uint64(l.before)
}
