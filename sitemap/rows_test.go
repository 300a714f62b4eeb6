package sitemap

import (
	"bytes"
	"encoding/json"
	"reflect"
	"strings"
	"testing"
)

// slowList is what readList reads, by a decoder of JSON alone.
func slowList[T any](text []byte) (list []T, err error) {
	d := json.NewDecoder(bytes.NewReader(text))
	token, err := d.Token()
	if err != nil || token != json.Delim('[') {
		return nil, err
	}
	for d.More() {
		var x T
		if err := d.Decode(&x); err != nil {
			return list, err
		}
		list = append(list, x)
	}
	_, err = d.Token()
	return list, err
}

// rowCases are entries of both lists, as the program writes them and as it does not.
var rowCases = []string{
	`[
{"url":"http://a.example/?b=1\u0026c=\u00e9\"","why":"flow","state":"fetched","block":3},
{"url":"http://a.example/ü","why":"prefix","state":"skipped","note":"same as x","block":-1,"scale":12}]`,
	`[
{"url":"http://b.example/","reason":"rule","block":0,"links":2,"from":"x","cut":9007199254740993},
{"url":"http://c.example/", "reason":"rule"},
{"url":"http://d.example/","reason":"failed","block":0,"links":0,"from":"","cut":0}]`,
	"[\n]", "[]", "[\n{}]", "[\n{\"url\":\"x\"},\n{}\n]", "[ {\"url\":\"x\"}]",
	"[\n{\"url\":\"x\"}{\"url\":\"y\"}]", "[\n{\"block\":\"3\"}]", "[\n{\"state\":3}]",
	"[\n{\"block\":03}]", "[\n{\"block\":1.5}]", "[\n{\"block\":null}]", "[\n{\"url\":\"\\x\"}]",
	"[\n{\"url\":\"\xff\"}]", "[\n{\"why\":\"of old\"}]", "[\n{\"unknown\":1},\n{\"url\":\"y\"}]",
	"[\n{\"URL\":\"x\"}]", "[\n{\"url\":\"x\"", "[\n{\"url\":\"x\"},\n", "[\n{\"url\":\"x\"},\n]",
	"[\n{\"url\":\"x\n\"}]", "[\n{\"url\":\"" + strings.Repeat("x", maxRow) + "\"},\n{\"url\":\"y\"}]",
	"[\n{\"block\":99999999999999999999}]", "[\n{\"to\":\"\"}]", "[\n{\"to\":[1,20],\"redirect\":true}]",
	"[\n{\"to\":[01]}]", "[\n{\"to\":7}]", "[\n{\"redirect\":\"true\"}]",
}

func FuzzReadList(f *testing.F) {
	for _, text := range rowCases {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		sameList(t, text, memberField)
		sameList(t, text, outsiderField)
		sameList(t, text, (*Charted).field)
	})
}

// sameList holds readList equal to a decoder of JSON, but for what comes before a fault.
func sameList[T any](t *testing.T, text []byte, field func(*T, []byte) any) {
	t.Helper()
	var got []T
	if bytes.HasPrefix(bytes.TrimSpace(text), []byte("[")) {
		want, slow := slowList[T](text)
		err := readList(newMapReader(bytes.NewReader(text)), field, func(x T) { got = append(got, x) })
		if (err == nil) != (slow == nil) || err == nil && !reflect.DeepEqual(got, want) {
			t.Errorf("%q:\n%v %v\n%v %v", text, got, err, want, slow)
		}
	}
}

// TestRowsNeedNoDecoder: entries as WriteJSON writes them are read without one, whatever their
// addresses have in them.
func TestRowsNeedNoDecoder(t *testing.T) {
	m := &Map{Members: MembersOf(
		Member{URL: "http://a.example/?b=1&c=2", Why: WhyFlow, State: "fetched", Note: "<ü>", Block: -1},
		Member{URL: "http://a.example/b", Why: WhyPrefix, State: "known"},
	)}
	var b bytes.Buffer
	if err := m.WriteJSON(&b); err != nil {
		t.Fatal(err)
	}
	_, text, _ := strings.Cut(b.String(), `"members":[`+"\n")
	in := newMapReader(strings.NewReader(text))
	for _, want := range m.Members.All() {
		var got Member
		if !in.row(func(key []byte) any { return memberField(&got, key) }) || got != want {
			t.Errorf("%+v, want %+v", got, want)
		}
	}
	again, err := ReadMap(&b)
	if err != nil || !again.Members.Equal(m.Members) {
		t.Errorf("%v, %v", again, err)
	}
}
