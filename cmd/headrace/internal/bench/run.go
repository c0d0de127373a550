package bench

import (
	"context"
	"errors"
	"os"
	"time"

	"github.com/headrace/headrace/internal/measure"
)

// Run measures a server once.
func Run(ctx context.Context, o Options) (Report, error) {
	if err := o.Validate(); err != nil {
		return Report{}, err
	}
	syncs, err := probe(o)
	if err != nil {
		return Report{}, err
	}
	t, err := startTarget(o)
	if err != nil {
		return Report{}, err
	}
	report, err := measureBoth(ctx, o, t)
	if err := errors.Join(err, t.stop()); err != nil {
		return Report{}, err
	}
	again, err := probe(o)
	report.FdatasyncPerSecond = round(measure.PerSecond(append(syncs, again...)))
	return report, err
}

func probe(o Options) ([]time.Duration, error) {
	dir := o.Dir
	if dir == "" {
		dir = os.TempDir()
	}
	o.Say("probing the disk under %s", dir)
	return measure.Disk(dir)
}

// measureBoth measures the load that was asked for, after a lone publisher if
// that was asked for too.
func measureBoth(ctx context.Context, o Options, t *target) (Report, error) {
	var lone Report
	if o.Lone {
		alone := o
		alone.Publishers, alone.InFlight = 1, 1
		var err error
		if lone, err = measureOne(ctx, alone, t); err != nil {
			return Report{}, err
		}
	}
	report, err := measureOne(ctx, o, t)
	if err == nil && o.Lone {
		report.compare(lone)
	}
	return report, err
}

// measureOne measures one load on a topic of its own.
func measureOne(ctx context.Context, o Options, t *target) (_ Report, err error) {
	admin, err := t.dial(ctx, o)
	if err != nil {
		return Report{}, err
	}
	defer func() { err = errors.Join(err, admin.Close()) }()
	g, err := prepare(ctx, admin, o)
	if err != nil {
		return Report{}, err
	}
	l := &load{options: o, target: t, ground: g, meter: newMeter(o.Mode)}
	w, err := l.profiled(ctx)
	// The topic goes also when the run was stopped.
	if err := errors.Join(err, g.remove(context.WithoutCancel(ctx), admin)); err != nil {
		return Report{}, err
	}
	return newReport(o, w, l.meter), nil
}
