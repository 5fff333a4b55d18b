package key

import (
	"strconv"
	"strings"
)

const (
	photoPrefix  = "PHOTO#"
	photosPrefix = "PHOTOS#"
)

// Photo returns the partition key, and sort key, of the record of a photo.
func Photo(id string) string { return photoPrefix + escape(id) }

// PhotoOf is the inverse of Photo; ok is false for any other item's key.
func PhotoOf(pk string) (id string, ok bool) { return idAfter(pk, photoPrefix) }

// DuePhotos is the number of partitions of photos without a comment, which keeps any of them from
// becoming hot.
const DuePhotos = 4

// DuePhoto returns the partition of a photo without a comment.
func DuePhoto(id string) Partition { return DuePhotoPartition(partOf(id, DuePhotos)) }

// DuePhotoPartition returns one of the partitions of photos without a comment, 0 to DuePhotos-1. It
// is in the order of the times when they are deleted.
func DuePhotoPartition(n int) Partition { return Partition{All, photosPrefix + strconv.Itoa(n)} }

// areDuePhotos reports whether a partition is one of DuePhotoPartition.
func areDuePhotos(partition string) bool { return strings.HasPrefix(partition, photosPrefix) }
