package transfer

import (
	"context"
	"io"

	"product-comments/store/pack"
)

// mostAhead bounds the lines that are learned from, in bytes; the windows that
// hold them are in memory meanwhile.
const mostAhead = 2 << 20

// learner shows the first comments of an import, of all its files, to whoever
// wants to learn from them.
type learner struct {
	learn func(context.Context, []pack.Words) error // nil once that is done
}

// ahead looks at the first windows of a file, and leaves them to be written. A
// file that has too little to learn from is followed by a look at the next one.
func (l *learner) ahead(ctx context.Context, p *pipeline) error {
	if l.learn == nil {
		return nil
	}
	var words []pack.Words
	var windows []*window
	for from, to := p.offset, p.offset; len(words) < pack.Samples && to-from < mostAhead; {
		w, err := p.next(ctx)
		if err == io.EOF { // comes again after the last window
			break
		}
		if err != nil {
			p.ahead = windows
			return err
		}
		windows, to = append(windows, w), w.offset
		for i := range w.comments {
			if c := &w.comments[i]; c.Text != "" && len(words) < pack.Samples {
				words = append(words, c.Words())
			}
		}
	}
	p.ahead = windows
	if len(words) < pack.MinSamples {
		return nil
	}
	learn := l.learn
	l.learn = nil
	return learn(ctx, words)
}
