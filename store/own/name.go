package own

import "encoding/binary"

// Name of a write, 8 bytes: a mark that it is one of a series, which series, and
// its number therein. All names of a series are of one process and one product.
type Name string

// NameSize is the length of a name in bytes.
const NameSize = 8

// Mark is the first byte of the name of every write that is one of a series. No
// other write's name may begin with it.
const Mark = 1

const (
	seriesSize = 5
	maxNumber  = 1<<16 - 2 // one more still fits
)

// IsNumbered tells whether the name is one of a series.
func (n Name) IsNumbered() bool { return len(n) == NameSize && n[0] == Mark }

func nameOf(series string, number int) Name {
	b := append([]byte{Mark}, series...)
	return Name(binary.BigEndian.AppendUint16(b, uint16(number)))
}

func (n Name) series() string { return string(n[1 : 1+seriesSize]) }

func (n Name) number() int { return int(n[6])<<8 | int(n[7]) }
