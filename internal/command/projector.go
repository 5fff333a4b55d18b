package command

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"product-comments/internal/cache"
	"product-comments/store/stream"
)

// projectorFlags say how the projector reads the table's stream.
type projectorFlags struct {
	Poll        time.Duration `help:"Pause of the projector after the stream had nothing new, or little; up to 20 times as long while there is much to do." default:"250ms" env:"POLL"`
	RebuildRate float64       `help:"Most capacity units a second of a rebuild that the projector begins by itself, because records were lost; 0 is no limit." default:"1000" env:"REBUILD_RATE" placeholder:"UNITS"`
	Backlog     cache.Size    `name:"projector-memory" help:"Memory that records of the stream may take which the projector has read and not yet written; it reads on when there is room." default:"64MiB" env:"PROJECTOR_MEMORY" placeholder:"SIZE"`
}

// projector is a consumer that runs until it is stopped.
type projector struct {
	*stream.Consumer
	stop func()
}

// start begins to project. The context bounds it; stop waits until it has ended.
func (f projectorFlags) start(ctx context.Context, opened *openStore, log *slog.Logger) *projector {
	consumer := stream.New(opened.Streams, opened.Projector(), stream.Options{Poll: f.Poll, RebuildRate: f.RebuildRate, Memory: int64(f.Backlog), Log: log})
	// It outlives the signal that ends the command, until what that finishes is finished.
	ctx, cancel := context.WithCancel(context.WithoutCancel(ctx))
	var running sync.WaitGroup
	running.Go(func() { _ = consumer.Run(ctx) }) // it returns nil; its failures are logged
	return &projector{consumer, func() { cancel(); running.Wait() }}
}
