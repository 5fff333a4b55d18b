package photos

import (
	"bytes"
	"encoding/binary"
)

// The readers below take the few parts that matter from files that anyone can write. They find
// nothing in a damaged file, which the decoder refuses.

// partsOfJPEG finds the EXIF data, before the first scan.
func partsOfJPEG(data []byte, found func(string, []byte)) {
	for rest := data[2:]; len(rest) >= 4 && rest[0] == 0xff && rest[1] != 0xda; {
		if rest[1] == 0xff { // a fill byte
			rest = rest[1:]
			continue
		}
		size := int(binary.BigEndian.Uint16(rest[2:]))
		if size < 2 || len(rest) < 2+size {
			return
		}
		if exif, ok := bytes.CutPrefix(rest[4:2+size], []byte("Exif\x00\x00")); ok && rest[1] == 0xe1 {
			found("Exif", exif)
			return
		}
		rest = rest[2+size:]
	}
}

// partsOfPNG finds the chunks.
func partsOfPNG(data []byte, found func(string, []byte)) {
	for rest := data[8:]; len(rest) >= 12; {
		size := binary.BigEndian.Uint32(rest)
		if uint64(size) > uint64(len(rest)-12) {
			return
		}
		found(string(rest[4:8]), rest[8:8+size])
		rest = rest[12+size:]
	}
}

// partsOfWebP finds the chunks, and takes the flag of an animation for one.
func partsOfWebP(data []byte, found func(string, []byte)) {
	for rest := data[12:]; len(rest) >= 8; {
		size := binary.LittleEndian.Uint32(rest[4:])
		if uint64(size) > uint64(len(rest)-8) {
			return
		}
		name, part := string(rest[:4]), rest[8:8+size]
		if name == "VP8X" && size > 0 && part[0]&2 != 0 {
			name = "ANIM"
		}
		found(name, bytes.TrimPrefix(part, []byte("Exif\x00\x00")))
		rest = rest[min(8+int(size)+int(size&1), len(rest)):]
	}
}

// orientation returns how EXIF says that a picture is shown, 1 to 8; 1 if it does not say. Of all its
// data this one number is read: a library would read the rest too.
func orientation(exif []byte) int {
	var order binary.ByteOrder = binary.LittleEndian
	if bytes.HasPrefix(exif, []byte("MM\x00*")) {
		order = binary.BigEndian
	} else if !bytes.HasPrefix(exif, []byte("II*\x00")) {
		return 1
	}
	if len(exif) < 8 {
		return 1
	}
	at := uint64(order.Uint32(exif[4:]))
	if at+2 > uint64(len(exif)) {
		return 1
	}
	entries := exif[at+2:]
	for range order.Uint16(exif[at:]) {
		if len(entries) < 12 {
			break
		}
		if value := int(order.Uint16(entries[8:])); order.Uint16(entries) == 0x112 && value >= 1 && value <= 8 {
			return value
		}
		entries = entries[12:]
	}
	return 1
}
