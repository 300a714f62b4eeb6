package cluster

import (
	"fmt"
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

// TestNames: what the broker tells of harvests whose names lead out of a folder is none, nor is a harvest
// that is divided into no shards, or into others than it has, nor a shard whose number is not written so.
func TestNames(t *testing.T) {
	m := &Member{peers: peers{}, slots: turns{}, board: map[string]entry{}, news: make(chan struct{})}
	keys := []string{"harvest.../x", "harvest.a/b", "shard.../x.001", "harvest.a.b", "shard.a.b.001"}
	const good = `{"round":1,"count":2,"shards":[1]}`
	values := slices.Repeat([]string{good}, len(keys))
	for _, key := range []string{"01", "0001", "-01", "00x", ""} {
		keys, values = append(keys, "shard.a.b."+key), append(values, `{"round":7}`)
	}
	for i, bad := range []string{
		"null", `{"round":1,"shards":[1]}`, `{"count":-2,"shards":[1]}`, `{"count":2,"shards":[2]}`,
		`{"count":2,"shards":[-1]}`,
	} {
		keys, values = append(keys, fmt.Sprint("harvest.bad", i)), append(values, bad)
	}
	for i, key := range keys {
		m.learn(&entry{key: key, value: []byte(values[i]), rev: uint64(i + 1)}, 0)
	}
	b := m.Board()
	if len(b.Harvests) != 1 || len(b.Of("a.b")) != 1 || len(b.Shards) != 1 ||
		b.Shards[ShardID{"a.b", 1}].Round != 1 {
		t.Errorf("%v, %v", b.Harvests, b.Shards)
	}
}
