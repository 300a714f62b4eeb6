package columnar

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/parquet-go/parquet-go"

	"watershed/archive"
)

// TestSchema: names, order, types and what may be null are those of Common Crawl's published schema,
// which testdata/schema.json tells in short.
func TestSchema(t *testing.T) {
	text, err := os.ReadFile("testdata/schema.json")
	if err != nil {
		t.Fatal(err)
	}
	var want [][3]string
	if err := json.Unmarshal(text, &want); err != nil {
		t.Fatal(err)
	}
	var got [][3]string
	for _, f := range parquet.SchemaOf(Row{}).Fields() {
		null := "required"
		if f.Optional() {
			null = "optional"
		}
		got = append(got, [3]string{f.Name(), f.Type().String(), null})
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// TestRow: the examples of the schema's descriptions, and the rules of the list of public suffixes.
func TestRow(t *testing.T) {
	for uri, want := range map[string]Row{
		"https://www.example.com:8443/path/index.html?q=abc&lang=en": {
			TLD: "com", Part2: "example", Part3: "www", RegistrySuffix: "com", Registered: "example.com",
			PrivateSuffix: "com", PrivateDomain: "example.com", Reversed: "com.example.www",
			Protocol: "https",
			Port:     8443, Path: "/path/index.html", Query: "q=abc&lang=en", Subset: "warc",
		},
		"http://host1.sub2.subdomain.bbc.co.uk/": {
			TLD: "uk", Part2: "co", Part3: "bbc", Part4: "subdomain", Part5: "sub2", RegistrySuffix: "co.uk",
			Registered: "bbc.co.uk", PrivateSuffix: "co.uk", PrivateDomain: "bbc.co.uk",
			Reversed: "uk.co.bbc.subdomain.sub2.host1", Protocol: "http", Path: "/", Subset: "warc",
		},
		"http://myblog.blogspot.com/robots.txt": {
			TLD: "com", Part2: "blogspot", Part3: "myblog", RegistrySuffix: "com", Registered: "blogspot.com",
			PrivateSuffix: "blogspot.com", PrivateDomain: "myblog.blogspot.com",
			Reversed: "com.blogspot.myblog",
			Protocol: "http", Path: "/robots.txt", Subset: "robotstxt",
		},
		"http://mybucket.s3.amazonaws.com/": {
			TLD: "com", Part2: "amazonaws", Part3: "s3", Part4: "mybucket", RegistrySuffix: "com",
			Registered: "amazonaws.com", PrivateSuffix: "s3.amazonaws.com",
			PrivateDomain: "mybucket.s3.amazonaws.com", Reversed: "com.amazonaws.s3.mybucket",
			Protocol: "http", Path: "/", Subset: "warc",
		},
		"http://10.0.0.1/":            {Protocol: "http", Path: "/", Subset: "warc"},
		"http://10.0.0.1/50%off?100%": {Protocol: "http", Path: "/50%off", Query: "100%", Subset: "warc"},
		"http://[2001:db8::1]:8080/%7Ea;b": {
			Protocol: "http", Port: 8080, Path: "/%7Ea;b", Subset: "warc",
		},
		"http://site.test": {
			TLD: "test", Part2: "site", Reversed: "test.site", Protocol: "http", Subset: "warc",
		},
	} {
		got, err := rowOf(&archive.Entry{
			URL: uri, Timestamp: "20171024001432", Status: "200", Digest: "sha1:CH7I", Offset: 3, Length: 4,
			File: "crawl-data/CC/segments/1505.21/warc/x.warc.gz",
		})
		if err != nil {
			t.Fatal(uri, err)
		}
		want.URL, want.Host, want.FetchTime = uri, got.Host, 1508804072000
		want.Status, want.Digest, want.Offset, want.Length = 200, "CH7I", 3, 4
		want.File, want.Segment = "crawl-data/CC/segments/1505.21/warc/x.warc.gz", "1505.21"
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: %s", uri, diff)
		}
	}
	if _, err := rowOf(&archive.Entry{URL: "http://a.example/", Offset: 1 << 31}); !errors.Is(err, errFar) {
		t.Errorf("an offset beyond the column: %v", err)
	}
}

// TestWriter: rows come back as they were written, with null where a column is empty.
func TestWriter(t *testing.T) {
	var out bytes.Buffer
	w := NewWriter(&out, "village")
	for _, uri := range []string{"http://a.example/", "dns:a.example", "https://b.example/?q"} {
		if err := w.Write(&archive.Entry{URL: uri, Timestamp: "20171024001432", Status: "301"}); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil || w.Other() != 1 {
		t.Fatal(err, w.Other())
	}
	rows, err := parquet.Read[Row](bytes.NewReader(out.Bytes()), int64(out.Len()))
	if err != nil || len(rows) != 2 || rows[1].URL != "https://b.example/?q" || rows[1].Crawl != "village" ||
		rows[0].Subset != "crawldiagnostics" {
		t.Errorf("%+v, %v", rows, err)
	}
	f, err := parquet.OpenFile(bytes.NewReader(out.Bytes()), int64(out.Len()))
	if err != nil {
		t.Fatal(err)
	}
	leaf, ok := f.Schema().Lookup("url_port")
	if !ok {
		t.Fatal("no column url_port")
	}
	index, err := f.RowGroups()[0].ColumnChunks()[leaf.ColumnIndex].ColumnIndex()
	if err != nil || index.NullCount(0) != 2 {
		t.Errorf("%v, %v", index, err)
	}
}
