package command

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"time"
)

// healthCmd requests the health of a server on this machine, for container images without an HTTP
// client.
type healthCmd struct {
	URL     string        `arg:"" help:"URL to request: /healthz reports that the server runs, /readyz also that its table answers." default:"http://127.0.0.1:8080/readyz"`
	Timeout time.Duration `help:"Time limit for the answer." default:"3s"`
}

// Run returns an error unless the answer's status is 200.
func (h *healthCmd) Run(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, h.Timeout)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, h.URL, nil)
	if err != nil {
		return err
	}
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		return err
	}
	defer func() { _ = answer.Body.Close() }()
	said, _ := io.ReadAll(io.LimitReader(answer.Body, 200)) // a truncated answer is enough
	if answer.StatusCode != http.StatusOK {
		return fmt.Errorf("%s answers %s: %s", h.URL, answer.Status, said)
	}
	return nil
}
