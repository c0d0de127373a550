package measure

import (
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// clockTick is the unit of the CPU times in /proc: USER_HZ, which Linux fixes at
// 100 for every program.
const clockTick = time.Second / 100

// errProcStat is returned when /proc/<pid>/stat does not look as documented.
var errProcStat = errors.New("measure: unexpected form of /proc/<pid>/stat")

// OwnCPU is the CPU time that this process has used so far, user and system.
func OwnCPU() (time.Duration, error) {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0, err
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano()), nil
}

// ProcessCPU is the CPU time that a process has used so far, user and system,
// in steps of 10 ms.
func ProcessCPU(pid int) (time.Duration, error) {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return 0, err
	}
	return parseProcStat(string(stat))
}

// parseProcStat reads fields 14 (utime) and 15 (stime) of a stat line, counted
// from 1. Field 2, the program's name in parentheses, may hold anything, so the
// count starts behind its end.
//
//	pid (name) state ppid … utime stime …
//	 1     2     3    4  …    14    15
func parseProcStat(stat string) (time.Duration, error) {
	end := strings.LastIndexByte(stat, ')')
	fields := strings.Fields(stat[end+1:])
	if end < 0 || len(fields) < 13 {
		return 0, errProcStat
	}
	user, err1 := strconv.ParseInt(fields[11], 10, 64)
	system, err2 := strconv.ParseInt(fields[12], 10, 64)
	if err := errors.Join(err1, err2); err != nil {
		return 0, fmt.Errorf("%w: %w", errProcStat, err)
	}
	return time.Duration(user+system) * clockTick, nil
}
