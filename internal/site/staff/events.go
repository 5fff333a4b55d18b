package staff

import (
	"net/http"
	"strings"

	"product-comments/access"
)

// endpoint is a webhook endpoint as the API has it.
type endpoint struct {
	ID, URL, State, DisabledReason, OldestUndelivered string
	Events                                            []string
	Failures                                          pageOf[failure]
}

// Types are the types of its events, as they are spelled in events.
func (e endpoint) Types() string {
	types := make([]string, len(e.Events))
	for i, t := range e.Events {
		types[i] = spelled(t)
	}
	return strings.Join(types, ", ")
}

// spelled returns a type of events as it is spelled in events: request.opted_out for REQUEST_OPTED_OUT.
func spelled(t string) string { return strings.ToLower(strings.Replace(t, "_", ".", 1)) }

// failure is a delivery that failed.
type failure struct {
	EventID, Type, At, Reason string
	Attempts                  int
}

// What is the type of the event, as it is spelled in events.
func (f failure) What() string { return spelled(f.Type) }

// eventsPage is the data of the page Events.
type eventsPage struct {
	frame
	Service   bool // the API has webhooks for services alone
	Endpoints []endpoint
}

const pathEvents = Path + "/events"

var endpointsOperation = document("endpoints")

// events serves the webhook endpoints with what they did not get.
func (h *Handler) events(w http.ResponseWriter, r *http.Request) {
	p := &eventsPage{frame: h.newFrame(r, "events")}
	p.Service = p.Person.Role == access.Service
	var a struct{ WebhookEndpoints []endpoint }
	if p.Service && !h.ask(w, r, &p.frame, endpointsOperation, map[string]any{"first": shown}, &a) {
		return
	}
	p.Endpoints = a.WebhookEndpoints
	h.show(w, r, "events", p, http.StatusOK)
}
