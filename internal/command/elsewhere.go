package command

import (
	"context"
	"fmt"
	"log/slog"
	"time"

	"product-comments/store/stream"
)

// elsewhere says whether a projector runs in another process: lost is true if none
// seems to. What it cannot find out, such as without the right to look at the stream,
// it says.
func elsewhere(ctx context.Context, opened *openStore) (said string, lost bool) {
	at, began, err := stream.Seen(ctx, opened.Streams, opened.Projector())
	since := time.Since(at).Round(time.Second)
	switch {
	case err != nil:
		return "whether one runs elsewhere is not known: " + sentence(err), false
	case at.IsZero() && began:
		return "one has begun elsewhere", false
	case at.IsZero():
		return "and none has ever run for this table", true
	case since > stream.StoredEvery:
		return fmt.Sprintf("and none elsewhere has told for %s how far it is", since), true
	default:
		return fmt.Sprintf("one elsewhere told %s ago how far it is", max(0, since)), false
	}
}

// warnWithout warns a server that has no projector in its process, if there seems to
// be none elsewhere.
func warnWithout(ctx context.Context, opened *openStore, log *slog.Logger) {
	if said, lost := elsewhere(ctx, opened); lost {
		log.Warn("no projector runs in this process, "+said+": counts, leaderboards and copies stay as they are; start product-comments project, or serve --projector, unless AWS Lambda projects a table to which nobody writes", "table", opened.Table())
	}
}
