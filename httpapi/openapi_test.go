package httpapi_test

import (
	"bytes"
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/getkin/kin-openapi/openapi3filter"
	"github.com/getkin/kin-openapi/routers"
	"github.com/getkin/kin-openapi/routers/gorillamux"
)

//go:embed openapi.json
var document []byte

// description is the OpenAPI document as the checks of answers use it.
var description = sync.OnceValues(func() (routers.Router, error) {
	doc, err := openapi3.NewLoader().LoadFromData(document)
	if err != nil {
		return nil, err
	}
	return gorillamux.NewRouter(doc)
})

// judged are answers that were held against the document before.
var judged sync.Map

// documented holds an answer against the OpenAPI document. Requests of no documented route are
// expected to fail.
func documented(t *testing.T, r *http.Request, response *http.Response, body []byte) {
	t.Helper()
	router, err := description()
	if err != nil {
		t.Fatal(err)
	}
	plain := r.Clone(context.WithoutCancel(r.Context()))
	plain.URL = &url.URL{Path: r.URL.Path, RawPath: r.URL.RawPath, RawQuery: r.URL.RawQuery}
	if r.Method == http.MethodHead || r.Method == http.MethodOptions { // GET without the body; CORS
		return
	}
	route, params, err := router.FindRoute(plain)
	if err != nil {
		if response.StatusCode < http.StatusMultipleChoices {
			t.Errorf("%s %s: %d, but %v", r.Method, r.URL, response.StatusCode, err)
		}
		return
	}
	same := fmt.Sprint(r.Method, route.Path, response.StatusCode, response.Header.Get("Content-Type"), string(body))
	if _, again := judged.LoadOrStore(same, true); again { // which takes longer than the answer did
		return
	}
	in := &openapi3filter.ResponseValidationInput{
		RequestValidationInput: &openapi3filter.RequestValidationInput{Request: plain, PathParams: params, Route: route},
		Status:                 response.StatusCode, Header: response.Header, Body: io.NopCloser(bytes.NewReader(body)),
	}
	if err := openapi3filter.ValidateResponse(plain.Context(), in); err != nil {
		t.Errorf("%s %s: %d %s\nis not as documented: %v", r.Method, r.URL, response.StatusCode, body, err)
	}
	if route.Operation.Responses.Status(response.StatusCode) == nil && response.StatusCode != http.StatusInternalServerError {
		t.Errorf("%s %s: status %d is not documented", r.Method, r.URL, response.StatusCode)
	}
}

func TestOpenAPIDocumentIsValid(t *testing.T) {
	t.Parallel()
	doc, err := openapi3.NewLoader().LoadFromData(document)
	if err != nil {
		t.Fatal(err)
	}
	if err := doc.Validate(t.Context()); err != nil {
		t.Error(err)
	}
	for path, item := range doc.Paths.Map() {
		for method, operation := range item.Operations() {
			if len(operation.Tags) != 1 || doc.Tags.Get(operation.Tags[0]) == nil || operation.OperationID == "" {
				t.Errorf("%s %s: tags %v, operation id %q", method, path, operation.Tags, operation.OperationID)
			}
		}
	}
	s := newBareSite(t, defaults)
	got := s.do(t, http.MethodGet, "/openapi.json", "").ok(t, http.StatusOK)
	if !bytes.Equal(got.body, document) {
		t.Error("another document is served")
	}
}

// TestExamplesOfBodiesAreTaken sends each as it stands in the document: whatever else is in the way, the body is not.
func TestExamplesOfBodiesAreTaken(t *testing.T) {
	t.Parallel()
	doc, err := openapi3.NewLoader().LoadFromData(document)
	if err != nil {
		t.Fatal(err)
	}
	s := newSite(t, defaults)
	bodies := map[string]string{} // by method and path
	for path, item := range doc.Paths.Map() {
		for method, operation := range item.Operations() {
			if operation.RequestBody == nil {
				continue
			}
			example, err := json.Marshal(operation.RequestBody.Value.Content.Get("application/json").Example)
			if err != nil || string(example) == "null" {
				t.Errorf("%s %s: example %s, %v", method, path, example, err)
			}
			bodies[method+" "+strings.ReplaceAll(path, "{id}", "align")] = string(example)
		}
	}
	s.do(t, http.MethodPut, "/oc/align", bodies["PUT /oc/align"]).ok(t, http.StatusCreated)
	for line, body := range bodies {
		method, path, _ := strings.Cut(line, " ")
		switch got := s.do(t, method, path, body); got.status {
		case http.StatusBadRequest, http.StatusUnsupportedMediaType, http.StatusUnprocessableEntity:
			t.Errorf("%s: %d %s", line, got.status, got.body)
		}
	}
}
