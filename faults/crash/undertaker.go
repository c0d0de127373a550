package crash

import (
	"context"

	"github.com/headrace/headrace/faults/history"
)

// buries lists dead letters, redrives some of them, and releases parked keys; in the end
// all of them.
func (o *operator) buries(ctx context.Context) error {
	for o.rest(ctx) {
		_, _ = o.look(ctx) // A server that is gone is no news.
		letters, err := o.letters(ctx)
		if err != nil {
			continue
		}
		for sequence := range letters {
			if o.random.IntN(2) == 0 {
				delete(letters, sequence)
			}
		}
		o.redrive(ctx, letters)
		if o.random.IntN(2) == 0 {
			if err := o.releaseKeys(ctx); err != nil {
				return err
			}
		}
	}
	return ctx.Err()
}

// buryAll redrives what is dead and releases what is parked, once.
func (o *operator) buryAll(ctx context.Context) (left int, err error) {
	letters, err := o.letters(ctx)
	if err != nil {
		return 0, err
	}
	o.redrive(ctx, letters)
	return len(letters), o.releaseKeys(ctx)
}

// letters lists the dead letters, by their sequences.
func (o *operator) letters(ctx context.Context) (map[uint64]history.MessageID, error) {
	calling, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	o.record(history.LettersAsking, history.Fields{})
	letters := map[uint64]history.MessageID{}
	for letter, err := range o.client.Subscriptions().DeadLetters(calling, o.account.name, nil) {
		if err != nil {
			return nil, err
		}
		_, id, _ := decodeBody(letter.GetMessage().GetData())
		letters[letter.GetSequence()] = id
		o.record(history.LetterSeen, history.Fields{Publisher: id.Publisher, Number: id.Number})
	}
	o.record(history.LettersTold, history.Fields{})
	return letters, nil
}

// redrive gives dead letters back to delivery.
func (o *operator) redrive(ctx context.Context, letters map[uint64]history.MessageID) {
	if len(letters) == 0 {
		return
	}
	var sequences []uint64
	for sequence, id := range letters {
		sequences = append(sequences, sequence)
		o.record(history.Redriving, history.Fields{Publisher: id.Publisher, Number: id.Number})
	}
	calling, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	found, err := o.client.Subscriptions().RedriveDeadLetters(calling, o.account.name, sequences...)
	if err != nil {
		return // Nobody knows.
	}
	done := map[uint64]uint64{}
	for _, sequence := range found {
		done[sequence] = 1
	}
	for sequence, id := range letters {
		o.record(history.Redriven, history.Fields{Publisher: id.Publisher, Number: id.Number, Done: done[sequence]})
	}
}

func (o *operator) releaseKeys(ctx context.Context) error {
	o.record(history.KeysReleasing, history.Fields{})
	err := o.persist(ctx, "release keys", func(ctx context.Context) error {
		_, err := o.client.Subscriptions().ReleaseAllParkedKeys(ctx, o.account.name)
		return err
	})
	if err == nil {
		o.record(history.KeysReleased, history.Fields{})
	}
	return err
}
