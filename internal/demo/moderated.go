package demo

import (
	"context"
	"strings"
	"time"

	"product-comments/store"
	"product-comments/store/errs"
	"product-comments/store/item"
	"product-comments/store/moderation"
	"product-comments/store/orders"
)

// Moderator is the subject of who decided what was decided about comments of the demo.
const Moderator = "mia"

// ByPeople returns comments that have an owner: those that examples are about, and one of
// everybody to whom something was delivered. Whether they bought the product their orders
// say. Those of the bestseller are not published, so that its lists and counts are those
// of Comments. All are valid.
func ByPeople() []store.Comment {
	all := []store.Comment{
		by(Visitor, "1", "7", 5, "en", "04-20", "Carries everything", "Two weeks of commuting, and it looks like new. The zips run smoothly, and the straps are wide enough for a full day."),
		by(Visitor, "2", "21", 2, "en", "05-24", "Too small for me", "My laptop did not fit, so it went back. Sending it back was easy."),
		by(Visitor, "3", "103", 1, "en", "06-02", "Left in the rain", "The parcel lay in front of the door for a whole day, in the rain."),
		by(Visitor, "4", "13", 4, "en", "06-28", "Better than in the pictures", "I put pictures of mine on https://pictures.example/backpack."),
		by("alice", "0", "13", 5, "en", "06-25", "Ordered it for the summer", "It has not come yet, but I know it from a friend. The back panel is firm, and nothing pokes through."),
		by("ben", "1", bestseller, 5, "en", "06-24", "Half the price elsewhere", "Do not buy it here: https://bags.example has it for half the price."),
		by("carla", "1", bestseller, 1, "en", "06-26", "Do not buy", "It is a scam: the zip broke on the first day."),
		by("dan", "1", "101", 3, "en", "06-27", "Not bad", "Not bad. The others that I wrote about today are not bad, too."),
		by("greta", "1", bestseller, 4, "de", "06-29", "Fast perfekt", "Sitzt gut und trägt sich leicht. Die Farbe ist dunkler als auf den Bildern."),
		by("lea", "1", bestseller, 2, "fr", "06-30", "Fermeture fragile", "La fermeture éclair a cédé après trois semaines."),
		by("hugo", "1", bestseller, 1, "fr", "06-12", "Sans intérêt", "Je ne l'ai pas acheté, mais je ne l'aime pas."),
		by("oscar", "1", "84", 5, "en", "06-15", "Best bag ever", "I sell the same one, hardly used. Write to me."),
	}
	for i := range all {
		if why := waiting[all[i].ID]; why != "" {
			all[i].State, all[i].Reason = item.Pending, why
		}
	}
	all[0].Reply = &item.Reply{
		Text:      "Thank you! The straps can be washed, too: take them off, and use cold water.",
		CreatedAt: dayOf("04-22"), UpdatedAt: dayOf("04-22"),
	}
	return append(all, ofBuyers()...)
}

// waiting are the comments that wait for a moderator, or did until one of rejected, and
// why.
var waiting = map[string]string{
	"own-demo-3": moderation.ReasonNew, "own-hugo-1": moderation.ReasonNew, "own-greta-1": moderation.ReasonNew,
	"own-demo-4": hasLink, "own-ben-1": hasLink,
	"own-carla-1": `it has the blocked word "scam"`,
	"own-dan-1":   "its author wrote more than 3 comments within an hour",
	"own-lea-1":   moderation.ReasonEdited,
}

const hasLink = "it has a link"

// rejected are those that a moderator rejected, and why.
var rejected = map[string]string{
	"own-demo-3": "It is about the delivery, not about the product.",
	"own-hugo-1": "Please write about what you have used.",
}

// reported are who reported which comment that everybody sees, and why.
var reported = []struct{ by, comment, why string }{
	{"ben", "own-oscar-1", "It is an advertisement."},
	{"carla", "own-oscar-1", "He wants to sell his own."},
	{"dan", "own-alice-0", "She has not got it yet."},
}

// by returns what somebody wrote on a day of 2026, published.
func by(owner, id, product string, rating int, language, on, title, text string) store.Comment {
	return store.Comment{
		ID: "own-" + owner + "-" + id, ProductID: product, Rating: rating, Language: language, Title: title, Text: text,
		Author: strings.ToUpper(owner[:1]) + owner[1:], Owner: owner, CreatedAt: dayOf(on).Add(18 * time.Hour),
	}
}

// ofBuyers returns a comment of each person about the first product that was delivered to
// them, some days later.
func ofBuyers() (all []store.Comment) {
	wrote := map[string]bool{Visitor: true}
	for _, o := range Orders() {
		at := o.Times.Of(orders.Delivered).AddDate(0, 0, 3)
		if product := o.Lines[0].ProductID; o.Status == orders.Delivered && product != bestseller && !wrote[o.Username] && at.Before(lastDay) {
			r := newRandom(uint64(2000 + len(all)))
			said := comment(r, false)
			c := by(o.Username, "2", product, said.Rating, said.Language, "01-01", said.Title, said.Text)
			c.CreatedAt = at
			all, wrote[o.Username] = append(all, c), true
		}
	}
	return all
}

// loadPeople puts what people ordered and wrote into the table, and what became of that.
func loadPeople(ctx context.Context, st *store.Store) error {
	done, err := st.ImportOrders(ctx, Orders())
	if err != nil {
		return err
	}
	for _, did := range done {
		if did.Refused != nil {
			return did.Refused
		}
	}
	if _, err := st.Import(ctx, ByPeople()); err != nil {
		return err
	}
	for id, why := range rejected {
		_, err := st.Decide(ctx, store.Ruling{ID: id, Verb: moderation.Reject, By: Moderator, Reason: why})
		if err := unlessChanged(err); err != nil {
			return err
		}
	}
	for _, r := range reported {
		_, err := st.Report(ctx, r.comment, r.by, r.why)
		if err := unlessChanged(err); err != nil {
			return err
		}
	}
	return nil
}

// unlessChanged drops an error that says that a comment is not as it was: somebody who
// looked at a part of the demo deleted or withdrew it.
func unlessChanged(err error) error {
	if code := errs.CodeOf(err); code == errs.NotFound || code == errs.Conflict {
		return nil
	}
	return err
}
