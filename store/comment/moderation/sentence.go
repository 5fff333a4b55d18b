package moderation

import "product-comments/store/comment/item"

// holds are the English sentences for the codes of pending comments.
var holds = map[item.Code]string{
	item.HeldByMode:       "it is new",
	item.HeldByEdit:       "it was edited",
	item.HeldByReports:    "it was reported",
	item.HeldByLink:       "it has a link",
	item.HeldByWord:       "it has a blocked word",
	item.HeldByPace:       "its author wrote more comments within an hour than the limit",
	item.HeldByCharacters: "it has too many characters, such as ligatures, that stand for several others",
	item.HeldByPhotos:     "it has new photos",
}

// Sentence returns an English sentence for moderators about the reason why a comment waits.
func Sentence(why item.Why) string {
	says := holds[why.Code]
	if says != "" && why.Reason != "" {
		says += ": "
	}
	return says + why.Reason
}
