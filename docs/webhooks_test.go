package docs

import (
	"bufio"
	"context"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"product-comments/internal/delivery/outbound"
	"product-comments/internal/delivery/webhook"
	"product-comments/internal/testing/testkit"
	"product-comments/store"
	"product-comments/store/comment/item"
	"product-comments/store/key"
	"product-comments/store/key/sealed"
	"product-comments/store/outbox"
	"product-comments/store/simulation/double"
)

// The receivers of webhooks.md verify events with the official libraries, take each version of a
// comment once, and refuse a body that another secret signed.
func TestReceiversOfThePage(t *testing.T) {
	text := testkit.Value(os.ReadFile("webhooks.md"))(t)
	root := testkit.Value(filepath.Abs(".."))(t)
	folder := t.TempDir()
	testkit.Must(t, os.Symlink(filepath.Join(root, "web", "node_modules"), filepath.Join(folder, "node_modules")))
	commands := map[string]string{"receiver.mjs": "exec node receiver.mjs", "receiver.go": "go build -C " + root + " -o $HERE/receiver $HERE/receiver.go && exec ./receiver"}
	for _, b := range block.FindAllStringSubmatch(string(text), -1) {
		command, ok := commands[b[2]]
		if !ok {
			continue
		}
		delete(commands, b[2])
		t.Run(b[2], func(t *testing.T) {
			t.Parallel()
			testkit.Must(t, os.WriteFile(filepath.Join(folder, b[2]), []byte(b[3]), 0o600))
			receive(t, folder, command)
		})
	}
	testkit.Check(t, len(commands) == 0, "the page lacks %v", commands)
}

// receive runs a receiver and sends events to it.
func receive(t *testing.T, folder, command string) {
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	listener := testkit.Value(net.Listen("tcp", "127.0.0.1:0"))(t)
	port := listener.Addr().(*net.TCPAddr).Port
	testkit.Must(t, listener.Close())
	keys := testkit.Value(sealed.NewSet(make([]byte, sealed.MinSecret)))(t)
	s := store.New(double.New(double.Options{}).Client("shop"), "comments", store.Options{Keys: keys, PrivateWebhooks: true})
	testkit.Must(t, s.EnsureTable(ctx, true))
	p, secret, err := s.Outbox().Create(ctx, outbox.Endpoint{URL: fmt.Sprintf("http://127.0.0.1:%d/", port), Types: outbox.Types})
	testkit.Must(t, err)
	receiver := exec.CommandContext(ctx, "sh", "-c", command)
	receiver.Dir, receiver.Stderr = folder, os.Stderr
	receiver.Env = append(os.Environ(), "SECRET="+secret, "PORT="+strconv.Itoa(port), "HERE="+folder)
	out := testkit.Value(receiver.StdoutPipe())(t)
	testkit.Must(t, receiver.Start())
	defer func() { cancel(); _ = receiver.Wait() }()

	sender := webhook.Sender{Outbox: s.Outbox(), Client: outbound.New(outbound.Options{Private: true})}
	send := func(p *outbox.Endpoint, version int64, rating int) error {
		c := &item.Stored{}
		c.ID, c.ProductID, c.Rating, c.Language = "7", "42", rating, "en"
		at := key.Position{CreatedAt: time.UnixMicro(version), CommentID: "evt_1"}
		return sender.Send(ctx, p, &outbox.Event{ID: "evt_1", Type: outbox.Published, At: at, Comment: c}).Err
	}
	for err = send(&p, 2, 4); err != nil && ctx.Err() == nil; err = send(&p, 2, 4) { // until it listens
		time.Sleep(50 * time.Millisecond)
	}
	testkit.Must(t, err)
	testkit.Must(t, send(&p, 1, 3)) // older
	rotated, _, err := s.Outbox().Rotate(ctx, p.ID, 0)
	testkit.Must(t, err)
	err = send(&rotated, 3, 2)
	testkit.Check(t, err != nil && strings.Contains(err.Error(), "400"), "another secret: %v", err)
	testkit.Must(t, send(&p, 4, 5))
	lines := bufio.NewScanner(out)
	for _, want := range []string{"comment.published 7 4", "comment.published 7 5"} {
		testkit.Check(t, lines.Scan() && lines.Text() == want, "it printed %q, want %q", lines.Text(), want)
	}
}
