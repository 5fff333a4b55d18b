package command

import (
	"context"
	"fmt"

	"product-comments/internal/progress"
	groups "product-comments/store/projector"
	"product-comments/store/settings"
)

type grouping struct {
	storeFlags
	Groups int `arg:"" optional:"" help:"1 to ${max_groups}; without it, the number is shown. ${default_groups} unless it was set."`
}

// Run shows or sets into how many groups products are dealt.
func (g *grouping) Run(ctx context.Context) error {
	if g.Groups < 0 || g.Groups > groups.MaxGroups {
		return fmt.Errorf("the number of groups is %d; it may be 1 to %d", g.Groups, groups.MaxGroups)
	}
	return g.with(ctx, func(opened *openStore) error {
		now, err := opened.Settings().Change(ctx, func(s *settings.Settings) (bool, error) {
			changes := g.Groups > 0 && g.Groups != groups.GroupsOf(*s)
			if changes {
				s.Groups = g.Groups
			}
			return changes, nil
		})
		if err == nil {
			fmt.Printf("products are dealt to %s\n", progress.Counted(int64(groups.GroupsOf(now)), "group"))
		}
		return err
	})
}
