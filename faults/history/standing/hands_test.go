package standing

import (
	"testing"
	"time"

	"github.com/headrace/headrace/faults/history"
)

func TestBrokenGuaranteesAreFound(t *testing.T) {
	least, most, exactly := Rules{Resumes: true}, Rules{Guarantee: AtMostOnce}, Rules{Guarantee: ExactlyOnce, Resumes: true}
	wantBroken(t, []broken{
		{"acked, and again", history.Resurrected, begun(least).publish(1).take(1, 1, history.Ack).open(2).hand(2, 1, 1)},
		{"acked, and again to the same", history.Resurrected, begun(least).publish(1).take(1, 1, history.Ack).hand(1, 1, 1)},
		{"acked, and again after a restart", history.Resurrected, begun(exactly).publish(1).take(1, 1, history.Ack).killServer().open(2).hand(2, 1, 1)},
		{"never delivered", history.Lost, begun(least).publish(2).take(1, 1, history.Ack).caughtUp()},
		{"gone with its session", history.Lost, begun(exactly).publish(1).open(1).hand(1, 1, 1).kill().caughtUp()},
		{"gone with a settle that failed", history.Lost, begun(least).publish(1).open(1).hand(1, 1, 1).answering(1, 1, history.Ack).failed().caughtUp()},
		{
			"gone with two settles that failed", history.Lost,
			begun(least).publish(1).open(1).hand(1, 1, 1).answering(1, 1, history.Ack).
				open(2).hand(2, 1, 1).answering(2, 1, history.Ack).failed().failedOf(2).caughtUp(),
		},
		{"below the floor", history.Lost, begun(least).publish(2).take(1, 1, history.Ack).floor(2)},
		{"a floor that goes back", history.WentBack, begun(least).publish(2).take(1, 1, history.Ack).floor(1).floor(0)},
		{"charged by a restart", history.WrongAttempt, begun(least).publish(1).open(1).hand(1, 1, 1).killServer().hand(1, 1, 2)},
		{"charged though resumed", history.WrongAttempt, begun(exactly).publish(1).open(1).hand(1, 1, 1).wait(theLease/4).open(2).hand(2, 1, 2)},
		{
			"charged though its answer came too late", history.WrongAttempt,
			begun(exactly).publish(1).open(1).hand(1, 1, 1).answering(1, 1, history.Ack).failed().wait(theLease/4).open(2).hand(2, 1, 2),
		},
		{"not charged by a failure", history.WrongAttempt, begun(least).publish(1).open(1).hand(1, 1, 1).settle(1, 1, history.Retry).hand(1, 1, 1)},
		{"charged twice for one death", history.WrongAttempt, begun(least).publish(1).open(1).hand(1, 1, 1).kill().open(2).hand(2, 1, 3)},
		{"at most once, twice", history.Duplicated, begun(most).publish(1).open(1).hand(1, 1, 1).kill().open(2).hand(2, 1, 1)},
		{"at most once, twice to one", history.Duplicated, begun(most).publish(1).open(1).hand(1, 1, 1).hand(1, 1, 1)},
		{
			"taken from who works on it", history.Disturbed,
			begun(exactly).publish(1).open(1).hand(1, 1, 1).wait(theLease/4).open(2).hand(2, 1, 1),
		},
		{
			"the same over a restart", history.Disturbed,
			begun(exactly).publish(1).open(1).hand(1, 1, 1).wait(theLease/8).killServer().wait(theLease/8).open(2).hand(2, 1, 1),
		},
		{
			"given to two at once", history.Disturbed,
			begun(exactly).publish(1).open(1).hand(1, 1, 1).open(2).hand(2, 1, 1).settle(1, 1, history.Ack),
		},
		{
			"acked by two", history.StaleConfirmed,
			begun(least).publish(1).open(1).hand(1, 1, 1).wait(theLease).open(2).hand(2, 1, 2).settle(2, 1, history.Ack).settle(1, 1, history.Ack),
		},
		{"an answer for nothing", history.Unreadable, begun(least).open(1).answered(1, 1)},
	})
}

func TestKeptGuaranteesAreLegal(t *testing.T) {
	least, most, exactly := Rules{Resumes: true}, Rules{Guarantee: AtMostOnce}, Rules{Guarantee: ExactlyOnce, Resumes: true}
	wantLegal(t, map[string]*script{
		"acked":                    begun(least).publish(1).take(1, 1, history.Ack).floor(1).caughtUp(),
		"an ack without an answer": begun(least).publish(1).open(1).hand(1, 1, 1).answering(1, 1, history.Ack).caughtUp(),
		"that is not applied":      begun(least).publish(1).open(1).hand(1, 1, 1).answering(1, 1, history.Ack).killServer().open(2).hand(2, 1, 1),
		"had before it was acked":  begun(least).publish(1).open(1).open(2).hand(2, 1, 1).settle(2, 1, history.Ack).hand(1, 1, 1),
		"charged by a death":       begun(least).publish(1).open(1).hand(1, 1, 1).kill().open(2).hand(2, 1, 2),
		"charged by a failure":     begun(least).publish(1).open(1).hand(1, 1, 1).settle(1, 1, history.Retry).hand(1, 1, 2).settle(1, 2, history.Ack),
		"charged by its lease":     begun(least).publish(1).open(1).hand(1, 1, 1).wait(theLease).open(2).hand(2, 1, 2),
		"charged by its lease, behind an answer that came too late": begun(exactly).publish(1).open(1).hand(1, 1, 1).
			answering(1, 1, history.Ack).failed().wait(theLease).open(2).hand(2, 1, 2),
		"charged by a session that was given up": begun(exactly).publish(1).open(1).hand(1, 1, 1).
			add(history.HandsEnding, history.Fields{Session: 1}).hand(1, 1, 2),
		"lost, at most once": begun(most).publish(2).open(1).hand(1, 2, 1).caughtUp(),
		"at most once":       begun(most).publish(1).open(1).hand(1, 1, 1),
		"its holder died":    begun(exactly).publish(1).open(1).hand(1, 1, 1).kill().open(2).hand(2, 1, 2).settle(2, 1, history.Ack),
		"its holder gave it back": begun(exactly).publish(1).open(1).hand(1, 1, 1).answering(1, 1, history.Release).
			wait(theLease/4).open(2).hand(2, 1, 1),
		"its word came too late": begun(exactly).publish(1).open(1).hand(1, 1, 1).open(2).hand(2, 1, 1).answering(1, 1, history.Ack).
			failed().settle(2, 1, history.Ack),
		"acked by two, and the first one's came too late": begun(least).publish(1).open(1).hand(1, 1, 1).answering(1, 1, history.Ack).
			open(2).hand(2, 1, 1).answering(2, 1, history.Ack).failed().caughtUp(),
		"its lease was over": begun(exactly).publish(1).open(1).hand(1, 1, 1).wait(theLease).open(2).hand(2, 1, 2),
		"published too late": begun(least).of(history.BacklogAsking, history.Fields{}).publish(1).of(history.CaughtUp, history.Fields{}),
		"never stored": begun(least).add(history.Publishing, history.Fields{Topic: theTopic, Publisher: 1, Number: 1, Count: 1}).
			wait(time.Second).caughtUp(),
	})
}
