package staff

import (
	"net/http"

	"product-comments/internal/site/reviews"
)

var queueOperation = reviews.Document(operationFiles, "queue")

// queuePage is the data of the queue.
type queuePage struct {
	frame
	ModerationQueue struct {
		Nodes []struct{ CommentID, Title string }
	}
}

func (h *Handler) queue(w http.ResponseWriter, r *http.Request) {
	p := &queuePage{frame: h.newFrame(r, "queue")}
	if h.ask(w, r, &p.frame, queueOperation, map[string]any{"after": p.query.Get("after")}, p) {
		h.show(w, r, "queue", p, http.StatusOK)
	}
}
