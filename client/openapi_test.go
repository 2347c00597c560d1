package client_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"maps"
	"net/http"
	"os"
	"reflect"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/getkin/kin-openapi/openapi3filter"
	"github.com/getkin/kin-openapi/routers/gorillamux"

	"oc-scheduler/client"
)

// document is the description of what replicas serve.
var document = sync.OnceValues(func() (*openapi3.T, error) {
	text, err := os.ReadFile("../httpapi/openapi.json")
	if err != nil {
		return nil, err
	}
	return openapi3.NewLoader().LoadFromData(text)
})

func described(t *testing.T) *openapi3.T {
	t.Helper()
	doc, err := document()
	if err != nil {
		t.Fatal(err)
	}
	return doc
}

// named are the methods that are not called as their operations are; "": no program has a use for it.
var named = map[string]string{
	"checkWorkflow": "WatchWorkflow", "checkWorkflowOnce": "CheckWorkflow", "metrics": "", "openapi": "", "asyncapi": "", "docs": "",
	"whoami": "Whoami", "live": "Live", "ready": "Ready",
}

func methodOf(operation string) string {
	if name, is := named[operation]; is {
		return name
	}
	return strings.ToUpper(operation[:1]) + operation[1:]
}

// TestEachOperationHasAMethod that asks as the document has it: what is sent for made-up arguments is a request of that
// operation, with all that it requires. No method is without an operation.
func TestEachOperationHasAMethod(t *testing.T) {
	t.Parallel()
	doc := described(t)
	router, err := gorillamux.NewRouter(doc)
	if err != nil {
		t.Fatal(err)
	}
	var asked atomic.Value // the operation that was
	c, _ := of(t, func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		plain := r.Clone(r.Context())
		plain.Body = io.NopCloser(strings.NewReader(string(body)))
		route, params, err := router.FindRoute(plain)
		if err != nil {
			t.Errorf("%s %s: %v", r.Method, r.URL, err)
			return
		}
		asked.Store(route.Operation.OperationID)
		in := &openapi3filter.RequestValidationInput{Request: plain, PathParams: params, Route: route, Options: &openapi3filter.Options{AuthenticationFunc: openapi3filter.NoopAuthenticationFunc}}
		if err := openapi3filter.ValidateRequest(r.Context(), in); err != nil {
			t.Errorf("%s: %s %s %s: %v", route.Operation.OperationID, r.Method, r.URL, body, err)
		}
		w.WriteHeader(http.StatusTeapot)
	})
	missing := map[string]bool{}
	methods := reflect.TypeFor[*client.Client]()
	for method := range methods.Methods() {
		missing[method.Name] = true
	}
	delete(missing, "FollowOutput") // getOutput, as GetOutput is
	delete(missing, "CloseIdleConnections")
	for _, path := range doc.Paths.Map() {
		for _, operation := range path.Operations() {
			name := methodOf(operation.OperationID)
			method := reflect.ValueOf(c).MethodByName(name)
			if name == "" {
				continue
			}
			if !method.IsValid() {
				t.Errorf("there is no method %s", name)
				continue
			}
			delete(missing, name)
			written(t, operation, method.Type())
			asked.Store("")
			if !teapot(called(t.Context(), method)) || asked.Load() != operation.OperationID {
				t.Errorf("%s asks for %q, want %q, or does not return the problem", name, asked.Load(), operation.OperationID)
			}
		}
	}
	if len(missing) > 0 {
		t.Errorf("methods of no operation: %v", slices.Sorted(maps.Keys(missing)))
	}
}

// written holds what a method takes and returns to the bodies of its operation.
func written(t *testing.T, operation *openapi3.Operation, method reflect.Type) {
	t.Helper()
	body := func(content openapi3.Content) *openapi3.SchemaRef {
		if media := content.Get("application/json"); media != nil {
			return media.Schema
		}
		return nil
	}
	if operation.RequestBody != nil {
		for i := range method.NumIn() {
			if of := method.In(i); of.Kind() == reflect.Struct {
				alike(t, operation.OperationID+" takes", body(operation.RequestBody.Value.Content).Value, of)
			}
		}
	}
	for status, answer := range operation.Responses.Map() {
		if schema := body(answer.Value.Content); schema != nil && status[0] == '2' && method.Out(0).Kind() == reflect.Pointer {
			alike(t, operation.OperationID+" returns", schema.Value, method.Out(0))
		}
	}
}

func teapot(err error) bool {
	p, ok := errors.AsType[*client.Problem](err)
	return ok && p.Status == http.StatusTeapot
}

// called is the error of a method, for arguments that are made up.
func called(ctx context.Context, method reflect.Value) error {
	of := method.Type()
	in := []reflect.Value{reflect.ValueOf(ctx)}
	for i := 1; i < of.NumIn()-1; i++ { // the last are options
		in = append(in, sample(of.In(i)))
	}
	out := method.Call(in)
	if last := out[len(out)-1]; last.Kind() != reflect.Func {
		err, _ := reflect.TypeAssert[error](last)
		return err
	}
	var err error
	out[0].Call([]reflect.Value{reflect.MakeFunc(out[0].Type().In(0), func(yielded []reflect.Value) []reflect.Value {
		err, _ = reflect.TypeAssert[error](yielded[1])
		return []reflect.Value{reflect.ValueOf(false)}
	})})
	return err
}

// chosen are values that the document allows where not any will do.
var chosen = map[string]any{
	"BookingMode": "planned", "Gap": "skip", "Ambiguity": "both", "Overlap": "allow", "Role": "user", "State": "running",
	"Groups": []string(nil), "Data": json.RawMessage(nil), "Workflow": json.RawMessage(nil), "Demand": client.Amounts(nil),
}

// sample is a value in which each field that a request has is set.
func sample(of reflect.Type) reflect.Value {
	v := reflect.New(of).Elem()
	switch {
	case of == reflect.TypeFor[client.ScheduleFilter]():
		v.Set(reflect.ValueOf(client.ScheduleFilter{Workflow: "w", State: "paused", Labels: map[string]string{"a": "b"}}))
	case of == reflect.TypeFor[time.Time]():
		v.Set(reflect.ValueOf(time.Date(2026, 12, 1, 9, 0, 0, 0, time.UTC)))
	case of.Kind() == reflect.String:
		v.SetString("cancel")
	case of.Kind() == reflect.Int || of.Kind() == reflect.Int64:
		v.SetInt(2)
	case of.Kind() == reflect.Float64:
		v.SetFloat(60)
	case of.Kind() == reflect.Bool:
		v.SetBool(true)
	case of.Kind() == reflect.Pointer:
		v.Set(reflect.New(of.Elem()))
		v.Elem().Set(sample(of.Elem()))
	case of.Kind() == reflect.Map:
		v.Set(reflect.MakeMap(of))
		v.SetMapIndex(reflect.ValueOf("a"), sample(of.Elem()))
	case of.Kind() == reflect.Slice && of.Elem().Kind() != reflect.Uint8:
		v.Set(reflect.Append(v, sample(of.Elem())))
	case of.Kind() == reflect.Struct:
		for i := range of.NumField() {
			if value := reflect.ValueOf(chosen[of.Field(i).Name]); value.IsValid() && value.Type() == of.Field(i).Type {
				v.Field(i).Set(value)
			} else {
				v.Field(i).Set(sample(of.Field(i).Type))
			}
		}
	}
	return v
}
