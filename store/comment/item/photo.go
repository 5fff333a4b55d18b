package item

import (
	"encoding/base32"
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"product-comments/store/comment/stats"
	"product-comments/store/errs"
	"product-comments/store/table"
)

// Photo is a picture of a comment. Its bytes are elsewhere, under its id.
type Photo struct {
	ID            string // 26 characters of a to z and 2 to 7: 128 random bits
	Description   string // for people who do not see it
	Width, Height int    // of the largest rendition
	Placeholder   string // what is shown before the photo is loaded
}

// The limits of photos.
const (
	MaxPhotos           = 6     // of a comment
	MaxPhotoDescription = 250   // characters
	maxPlaceholder      = 28    // bytes
	maxPhotoSide        = 65535 // pixels
	photoIDBytes        = 16
)

var photoIDs = base32.NewEncoding("abcdefghijklmnopqrstuvwxyz234567").WithPadding(base32.NoPadding)

// ValidatePhotoID returns an error for a text that is not the id of a photo.
func ValidatePhotoID(field, id string) error {
	if b, err := photoIDs.DecodeString(id); err != nil || len(b) != photoIDBytes || photoIDs.EncodeToString(b) != id {
		return errs.Invalid(field, "%.40q is not the id of a photo: use the photoId that POST /photos answered", Printable(id)).For(errs.NotAPhoto)
	}
	return nil
}

// ValidatePhotos checks the number, the ids and the descriptions of a comment's photos. It returns an
// error for every invalid field, and makes descriptions of only white space empty.
func ValidatePhotos(field string, photos []Photo) error {
	if n := len(photos); n > MaxPhotos {
		return errs.Invalid(field, "there are %d, the limit is %d", n, MaxPhotos).For(errs.TooMany).Past(n, MaxPhotos)
	}
	wrong, met := make([]error, 0, 2*len(photos)), map[string]bool{}
	for i := range photos {
		p, of := &photos[i], fmt.Sprintf("%s.%d", field, i)
		if said := Said(p.Description); said != p.Description {
			p.Description = said
		}
		err := ValidatePhotoID(of+".id", p.ID)
		if met[p.ID] && err == nil {
			err = errs.Invalid(of+".id", "it is given twice: give it once").For(errs.Contradiction)
		}
		met[p.ID] = true
		wrong = append(wrong, err, errs.Join(validateText(of+".description", p.Description, MaxPhotoDescription, ""),
			readableLine(of+".description", p.Description)))
	}
	return errs.Join(wrong...)
}

// Validate checks a photo that was uploaded. It returns an error for every invalid field.
func (p Photo) Validate() error {
	wrong := []error{ValidatePhotos("photos", []Photo{p})}
	if side := max(p.Width, p.Height); side > maxPhotoSide || min(p.Width, p.Height) < 1 {
		wrong = append(wrong, errs.Invalid("photos.0.width", "%d × %d pixels are not from 1 to %d", p.Width, p.Height, maxPhotoSide).For(errs.OutOfRange))
	}
	if n := len(p.Placeholder); n > maxPlaceholder {
		wrong = append(wrong, errs.Invalid("photos.0.placeholder", "it has %d bytes, the limit is %d", n, maxPlaceholder).For(errs.TooLong))
	}
	return errs.Join(append(wrong, validateCharacters("photos.0.placeholder", p.Placeholder, ""))...)
}

// PhotosValue encodes photos, whose ids must be valid, compactly, since every index repeats them: at
// most 51 bytes each, and their descriptions. It returns nil without photos.
func PhotosValue(photos []Photo) types.AttributeValue {
	if len(photos) == 0 {
		return nil
	}
	var b []byte
	for _, p := range photos {
		id, _ := photoIDs.DecodeString(p.ID)
		b = binary.AppendUvarint(binary.AppendUvarint(append(b, id...), uint64(p.Width)), uint64(p.Height))
		b = stats.AppendText(stats.AppendText(b, p.Placeholder), p.Description)
	}
	return table.B(b)
}

// PhotosOf is the inverse of PhotosValue.
func PhotosOf(b []byte) (photos []Photo, err error) {
	for r := (stats.Reader{B: b}); r.More(); {
		p := Photo{ID: photoIDs.EncodeToString(r.Bytes(photoIDBytes)), Width: r.Count(), Height: r.Count(), Placeholder: r.Text(), Description: r.Text()}
		if r.Damaged {
			return nil, errors.New("its photos are cut off")
		}
		photos = append(photos, p)
	}
	return photos, nil
}
