package packing

import (
	"context"

	"product-comments/store/errs"
	"product-comments/store/pack"
)

// Trained is a dictionary of the table.
type Trained struct {
	Version int
	Share   float64 // compression ratio for comments like the training samples
}

// Train makes a dictionary from comments as they are in the shop, keeps it in
// the table instead of the one with a version, or of settings.Whatever, and lets
// every process write with it from now on, this one at once. It returns the
// table's dictionary by then, zero if there is none. It is BadUserInput if the
// samples are too few, or repeat so little that it would make comments no smaller;
// Unavailable if the store does not answer.
func (p *Packing) Train(ctx context.Context, instead int, samples []pack.Words) (Trained, error) {
	if len(samples) < pack.MinSamples {
		return Trained{}, errs.Errorf(errs.BadUserInput,
			"%d comments with a text are too few to train on, %d are needed", len(samples), pack.MinSamples)
	}
	trained, err := p.train(ctx, instead, samples)
	if err == nil {
		p.settings.WriteWith(trained.Version)
	}
	return trained, err
}

func (p *Packing) train(ctx context.Context, instead int, samples []pack.Words) (Trained, error) {
	version, err := p.settings.AddDictionary(ctx, instead, func(version int) ([]byte, float64, error) {
		dictionary, share, err := pack.Learn(version, samples)
		switch {
		case err != nil:
			return nil, 0, errs.Wrap(errs.BadUserInput, err, "%d comments with a text are too few to train on",
				len(samples))
		case share >= 1:
			return nil, 0, errs.Errorf(errs.BadUserInput,
				"A dictionary would not make comments smaller, so none was stored")
		}
		return dictionary, share, nil
	})
	if err != nil || version == 0 {
		return Trained{}, err
	}
	d, err := p.settings.Dictionary(ctx, version)
	return Trained{version, d.Share}, err
}
