package backup_test

import (
	"bytes"
	"testing"

	"github.com/headrace/headrace/storage"
	"github.com/headrace/headrace/storage/backup"
	"github.com/headrace/headrace/storage/shardlog"
	"github.com/headrace/headrace/storage/storagetest"
)

// TestABackupOfARunningStoreSkipsWhatABufferedTopicMayHaveAccepted: what was durable is
// restored, a dead letter with its copy in the topic, and no offset that the running store
// may have given since is given again.
func TestABackupOfARunningStoreSkipsWhatABufferedTopicMayHaveAccepted(t *testing.T) {
	for name, place := range places {
		t.Run(name, func(t *testing.T) {
			engine := backup.Over(place.engine(t), identity)
			h := storagetest.NewStoreHarness(t, func(testing.TB) storage.Engine { return engine }, shardlog.Options{})
			h.Damaged = true // The walk would need a second engine; Restore does it.
			topic, err := h.CreateTopic(t.Context(), storage.Topic{Name: "metrics", Partitions: 1, Buffered: true})
			if err != nil {
				t.Fatal(err)
			}
			to := storage.PartitionID{Topic: topic.ID}
			h.MustSubscribe("keeper", topic.ID, storage.Start{})
			from := storage.PartitionID{Topic: h.MustCreateTopic("orders", 1).ID}
			s := h.MustSubscribe("billing", from.Topic, storage.Start{})
			h.MustPublish(from, "order")
			h.MustPublish(to, "first")
			// What is accepted before this commit is durable with it.
			dead := storage.DeadLetter{
				Reason: storage.DeadRejected, Message: []byte("wire"), Forward: &storage.Forward{Copy: storagetest.NewAppend(to, "given up")},
			}
			h.MustCommit(&storage.ChangeSet{Subscription: s.ID, Cursors: []storage.CursorChange{{Floor: 1, DeadLetters: []storage.DeadLetter{dead}}}})
			var file bytes.Buffer
			if _, err := engine.Backup(t.Context(), &file); err != nil {
				t.Fatal(err)
			}
			given := h.MustPublish(to, "after the backup")
			h.Stop()
			h.Store = nil

			target, open := place.restore(t)
			if _, err := backup.Restore(&file, target); err != nil {
				t.Fatal(err)
			}
			restored := storagetest.NewStoreHarness(t, func(testing.TB) storage.Engine { return open() }, shardlog.Options{})
			restored.Damaged = true
			if got := restored.Bodies(to); len(got) != 2 || got[0] != "first" || got[1] != "given up" {
				t.Errorf("restored %q", got)
			}
			letters, err := restored.DeadLetters(t.Context(), s.ID, 0)
			if err != nil || len(letters) != 1 || letters[0].Forward.Copy.Base != 1 || letters[0].Forward.Failure != 0 {
				t.Errorf("dead letters: %+v, %v", letters, err)
			}
			if at := restored.MustPublish(to, "after the restoration"); at <= given {
				t.Errorf("offset %d is given again: %d was", at, given)
			}
			restored.Stop()
			restored.Store = nil
		})
	}
}
