package storetest

import (
	"context"

	"product-comments/internal/engine"
)

func startEmbedded(ctx context.Context, dir string) (server, error) {
	e, err := engine.Open(ctx, engine.Options{DataDir: dir})
	if err != nil {
		return nil, err // and not e: a nil *Engine is no nil server
	}
	return e, nil
}
