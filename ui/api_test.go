package ui

import (
	"bytes"
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"watershed/cluster"
)

// openAPI is what the tests need of docs/formats/openapi.json.
type openAPI struct {
	Paths map[string]map[string]struct {
		Responses map[string]struct {
			Content map[string]struct {
				Schema struct {
					Ref string `json:"$ref"`
				} `json:"schema"`
			} `json:"content"`
		} `json:"responses"`
	} `json:"paths"`
}

// TestOpenAPI checks the description against the handlers, both ways: it has each of them and no
// other, and what each answers is as it says.
func TestOpenAPI(t *testing.T) {
	path, err := filepath.Abs(filepath.Join("..", "docs", "formats", "openapi.json"))
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var api openAPI
	if err := json.Unmarshal(text, &api); err != nil {
		t.Fatal(err)
	}
	described := map[string]bool{}
	for p, methods := range api.Paths {
		for method := range methods {
			described[strings.ToUpper(method)+" "+p] = true
		}
	}
	served := map[string]bool{}
	for _, name := range []string{"mirrors", "search", "quality", "orders", "decisions"} {
		served["POST "+apiRoot+"/harvests/{harvest}/"+name] = true
	}
	for _, v := range views {
		served["GET "+v.api] = true
	}
	for p := range served {
		if !described[p] {
			t.Errorf("%s is not described", p)
		}
	}
	for p := range described {
		if !served[p] {
			t.Errorf("%s is described and not served", p)
		}
	}

	d := newDesk(t)
	d.enter()
	d.server.options.Board = func() (*cluster.Board, error) { return boardOf("gemo"), nil }
	for p, methods := range api.Paths {
		get := methods["get"]
		target := strings.NewReplacer("{harvest}", "gemo", "{site}", "000-gemo").Replace(p)
		if strings.HasSuffix(p, "/mirrors/compare") {
			target += "?from=m0.example"
		}
		if strings.HasSuffix(p, "/explain") {
			target += "?url=http://h2.example/d2/p2"
		}
		validate(t, path, text, get.Responses["200"].Content["application/json"].Schema.Ref, d.get(target))
	}
	validate(t, path, text, "#/components/schemas/Explanation",
		d.get(apiRoot+"/harvests/gemo/explain?url=http://s.example/p0000006"))
	validate(t, path, text, "#/components/schemas/Site",
		d.get(apiRoot+"/harvests/gemo/sites/001-scaled?at=0.2"))
	validate(t, path, text, "#/components/schemas/Error",
		d.text(d.do("GET", apiRoot+"/harvests/none", nil, nil), http.StatusNotFound))
	decided := d.do("POST", apiRoot+"/harvests/gemo/mirrors",
		strings.NewReader(`{"from":"m0.example","action":"confirm","level":2}`), func(r *http.Request) {
			r.Header.Set("Authorization", "Bearer "+testSecret)
		})
	validate(t, path, text, "#/components/schemas/Replica", d.text(decided, http.StatusOK))
	program := func(address, body, schema string) {
		answer := d.do("POST", apiRoot+"/harvests/gemo/"+address, strings.NewReader(body),
			func(r *http.Request) {
				r.Header.Set("Authorization", "Bearer "+testSecret)
			})
		validate(t, path, text, "#/components/schemas/"+schema, d.text(answer, http.StatusOK))
		validate(t, path, text, "#/components/schemas/"+
			map[string]string{"orders": "Order", "decisions": "Ruling"}[address], body)
	}
	program("decisions",
		`{"do":"in","rule":"http://www.gemo.example/x","below":true,"by":"anna","note":"mine"}`, "Ruled")
	underWay(t, d, said)
	program("orders", `{"do":"limit","limit":"pages","value":7,"host":"*"}`, "Answer")
	program("decisions", `{"do":"alpha","alpha":0.02,"site":"gemo"}`, "Ruled")
	validate(t, path, text, "#/components/schemas/Harvest", d.get(apiRoot+"/harvests/a%20b"))
}

// validate checks an answer by a schema of the description, with a validator that is not ours.
func validate(t *testing.T, path string, text []byte, ref, answer string) {
	t.Helper()
	if ref == "" {
		t.Error("no schema")
		return
	}
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource("file://"+path, doc); err != nil {
		t.Fatal(err)
	}
	schema, err := c.Compile("file://" + path + ref)
	if err != nil {
		t.Fatal(err)
	}
	value, err := jsonschema.UnmarshalJSON(strings.NewReader(answer))
	if err != nil {
		t.Fatal(err)
	}
	if err := schema.Validate(value); err != nil {
		t.Errorf("%s: %v\n%.500s", ref, err, answer)
	}
}
