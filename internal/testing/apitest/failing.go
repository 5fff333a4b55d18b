package apitest

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"sync"
)

// Failing returns a handler that passes requests on to another one. A POST of field names to /fail
// makes these fields of the next answer that has one null, as they are while the store cannot be
// read; the name data stands for the whole answer.
func Failing(service http.Handler) http.Handler {
	var mu sync.Mutex
	var failing []string
	mux := http.NewServeMux()
	mux.HandleFunc("POST /fail", func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		if err := json.NewDecoder(r.Body).Decode(&failing); err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
		}
	})
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		r.Header.Del("Accept-Encoding") // the answer is read here
		rec := httptest.NewRecorder()
		service.ServeHTTP(rec, r)
		body := rec.Body.Bytes()
		mu.Lock()
		defer mu.Unlock()
		var answer map[string]any
		if len(failing) > 0 && json.Unmarshal(body, &answer) == nil {
			if errors := unavailable(answer, nil, failing); len(errors) > 0 {
				failing, answer["errors"] = nil, errors
				body, _ = json.Marshal(answer) // it was JSON
			}
		}
		for name, values := range rec.Header() {
			w.Header()[name] = values
		}
		w.Header().Set("Content-Length", strconv.Itoa(len(body)))
		w.WriteHeader(rec.Code)
		_, _ = w.Write(body) // a client that left needs no answer
	})
	return mux
}

// unavailable makes the fields with these names null and returns their errors.
func unavailable(answer any, path []any, names []string) (errors []any) {
	object, _ := answer.(map[string]any)
	for name, value := range object {
		at := append(slices.Clone(path), name)
		if !slices.Contains(names, name) {
			errors = append(errors, unavailable(value, at, names)...)
			continue
		}
		object[name] = nil
		errors = append(errors, map[string]any{
			"message": name + " cannot be read now", "path": at[1:],
			"extensions": map[string]any{"code": "UNAVAILABLE", "retryAfter": 1},
		})
	}
	return errors
}
