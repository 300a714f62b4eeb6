package cluster

import (
	"slices"
	"strings"
	"testing"
	"time"

	"watershed/lab/kit/bomb"
)

// TestBombs has the broker tell of records that no member writes: each is none, at a cost that is
// linear in it.
func TestBombs(t *testing.T) {
	values := [][]byte{
		bomb.Nested("["), bomb.Nested(`{"a":`), bomb.Nested(`[{"a":`), bomb.Nested("1,"), []byte("null"),
	}
	for _, field := range []string{"shards", "args", "held", "by", "who", "hosts", "files", "session"} {
		for _, text := range []string{"[", `{"a":`} {
			values = append(values, slices.Concat([]byte(`{"`+field+`":`), bomb.Nested(text)))
		}
	}
	many := strings.TrimSuffix(string(bomb.Nested("{},")), ",")
	for _, text := range []string{`"lost":[` + many + "]", `"refused":{"":"` + many + `"}`, many} {
		values = append(values, []byte("{"+text+"}"))
	}
	values = append(values, []byte(`{"shards":[`+strings.TrimSuffix(string(bomb.Nested("1,")), ",")+"]}"))
	keys := []string{"slot.1", "wish.1", "session.a", "node.a", "harvest.a", "shard.a.001", "a", ""}
	for _, key := range keys {
		t.Run(key, func(t *testing.T) {
			for i, value := range values {
				bomb.Holds(t, 1<<30, func() {
					m := &Member{
						peers: peers{}, slots: turns{}, board: map[string]entry{},
						news: make(chan struct{}),
					}
					m.learn(&entry{key: key, value: value, rev: 1}, time.Second)
					m.Board()
				})
				if t.Failed() {
					t.Fatalf("of value %d", i)
				}
			}
		})
	}
}
