package command

import (
	"context"
	"fmt"
	"os"

	"product-comments/internal/progress"
	"product-comments/internal/transfer"
	"product-comments/store"
	"product-comments/store/errs"
)

type users struct {
	Export userExport `cmd:"" help:"Print everything in the table that names a person, one JSON object a line. It reads the whole table."`
	Erase  userErase  `cmd:"" help:"Erase a person: their comments, or whose these are, their votes and reports, and whose their orders were. It reads the whole table, may be stopped, and goes on when it is run again."`
}

// person is whom it is about.
type person struct {
	Subject string `arg:"" help:"The subject of their tokens, which is also the username of their orders." placeholder:"SUBJECT"`
}

type userExport struct {
	storeFlags
	rateFlag
	person
}

// Run prints the lines to standard output.
func (u *userExport) Run(ctx context.Context) error {
	return u.with(ctx, func(opened *openStore) error {
		bar := begin(ctx, opened.Store, "export")
		n, err := transfer.ExportPerson(ctx, opened.Store, u.Subject, store.ScanOptions{Rate: u.Rate, Progress: bar.Set}, os.Stdout)
		bar.End(err == nil)
		u.logger().Info("exported", "comments", n[store.TraceComment], "orders", n[store.TraceOrder], "votes", n[store.TraceVote],
			"reports", n[store.TraceReport], "decisions", n[store.TraceDecision])
		return err
	})
}

type userErase struct {
	storeFlags
	rateFlag
	person
	Comments string `help:"What becomes of their comments: remove takes them away, anonymous leaves those that are published without author. Those that are not published go in any case." enum:"remove,anonymous" required:"" placeholder:"remove|anonymous"`
}

// Run erases, and says what it did without naming anybody.
func (u *userErase) Run(ctx context.Context) error {
	return u.with(ctx, func(opened *openStore) error {
		bar := begin(ctx, opened.Store, "erase")
		did, err := opened.Erase(ctx, store.Erasure{
			Subject: u.Subject, Anonymous: u.Comments == "anonymous", ScanOptions: store.ScanOptions{Rate: u.Rate, Progress: bar.Set},
		})
		bar.End(err == nil)
		if errs.CodeOf(err) == errs.BadUserInput { // before anything was done
			return err
		}
		return tell(did, err)
	})
}

// tell prints what an erasure did, as far as it came.
func tell(did store.Erased, err error) error {
	fmt.Printf("removed %s, and the name from %d more; erased %s and %s; %s and %s are nobody's now\n",
		progress.Counted(did.Removed, "comment"), did.Anonymous, progress.Counted(did.Votes, "vote"), progress.Counted(did.Reports, "report"),
		progress.Counted(did.Orders, "order"), progress.Counted(did.Decisions, "decision"))
	if err != nil {
		return goesOn(err)
	}
	fmt.Printf("This is erasure %s, noted in the table without the name. What streams, backups and dictionaries of texts still hold, and for how long, is in docs/personal-data.md.\n", did.ID)
	return nil
}
