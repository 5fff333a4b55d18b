package cursor

import (
	"encoding/binary"
	"time"

	"product-comments/store/key"
)

// Kind is a kind of lists, with one type of positions. It defines the encoding of a position in
// a token: a number, and the id that orders positions with the same number.
type Kind[P key.Place] struct {
	// lists is the prefix of the scopes of this kind, so that lists of different kinds have
	// different fingerprints.
	lists string
	split func(P) (number uint64, id string)
	join  func(number uint64, id string) P
}

// Comments are lists of comments by time. Their scopes come from plan.Filter: they start with a
// product id, which has no control characters. Times must lie in the years 1678 to 2261.
var Comments = Kind[key.Position]{
	lists: "",
	split: func(p key.Position) (uint64, string) { return uint64(p.CreatedAt.UnixNano()), p.CommentID },
	join: func(nanoseconds uint64, id string) key.Position {
		return key.Position{CreatedAt: time.Unix(0, int64(nanoseconds)).UTC(), CommentID: id}
	},
}

// Ordered are lists of comments in other orders. They have the same scopes as Comments. Segment
// and value of the position precede the id.
var Ordered = Kind[key.Position]{
	lists: "\x00ordered\x00",
	split: func(p key.Position) (uint64, string) {
		n, _ := Comments.split(p)
		b := append(make([]byte, 0, orderedSize+len(p.Value)+len(p.CommentID)), byte(p.Range))
		b = binary.BigEndian.AppendUint16(b, uint16(len(p.Value)))
		return n, string(b) + p.Value + p.CommentID
	},
	join: func(nanoseconds uint64, id string) key.Position {
		if len(id) < orderedSize { // not sealed by split
			return key.Position{}
		}
		p, size := Comments.join(nanoseconds, id[orderedSize:]), int(binary.BigEndian.Uint16([]byte(id[1:orderedSize])))
		if size = min(size, len(p.CommentID)); size > 0 {
			p.Value, p.CommentID = p.CommentID[:size], p.CommentID[size:]
		}
		p.Range = int(id[0])
		return p
	},
}

// Photos are lists of photos of comments by time. The range of a position is the number of the photo
// among its comment's. They have the same scopes as Comments.
var Photos = Kind[key.Position]{lists: "\x00photos\x00", split: Ordered.split, join: Ordered.join}

// orderedSize is the size of the additional fields of Ordered: the number of the range, and the
// size of the value.
const orderedSize = 3

// Pages are numbered pages of lists of comments. They have the same scopes as Comments. The id
// is the page's length, a byte.
var Pages = Kind[key.PageStart]{
	lists: "\x00pages\x00",
	split: func(p key.PageStart) (uint64, string) { return uint64(p.Offset), string([]byte{byte(p.Length)}) },
	join: func(offset uint64, length string) key.PageStart {
		return key.PageStart{Offset: int(offset), Length: int(length[0])}
	},
}

// Queues are moderation queues, with the scopes of cases.Queue.
var Queues = Kind[key.Position]{lists: "\x00queue\x00", split: Comments.split, join: Comments.join}

// Failures are failed deliveries of events. A scope is the id of a webhook endpoint.
var Failures = Kind[key.Position]{lists: "\x00failures\x00", split: Comments.split, join: Comments.join}

// Requests are review requests, with the scopes of requests.Filter.
var Requests = Kind[key.Position]{lists: "\x00requests\x00", split: Comments.split, join: Comments.join}

// Authored are users' own comments, with the scopes of authors.Filter.
var Authored = Kind[key.Position]{lists: "\x00authored\x00", split: Comments.split, join: Comments.join}

// Ranks are leaderboards, with the scopes of counts.Board.
var Ranks = Kind[key.Rank]{
	lists: "\x00leaders\x00",
	split: func(r key.Rank) (uint64, string) { return uint64(r.Number), r.ProductID },
	join: func(number uint64, id string) key.Rank {
		return key.Rank{Number: int(number), ProductID: id}
	},
}

// Orders are lists of orders. A byte before the id encodes the position's value: none, or
// key.Unshipped.
var Orders = Kind[key.Position]{
	lists: "\x00orders\x00",
	split: func(p key.Position) (uint64, string) {
		n, _ := Comments.split(p)
		return n, (p.Value + " ")[:1] + p.CommentID
	},
	join: func(nanoseconds uint64, id string) key.Position {
		p := Comments.join(nanoseconds, id[1:])
		if id[0] != ' ' {
			p.Value = id[:1]
		}
		return p
	},
}
