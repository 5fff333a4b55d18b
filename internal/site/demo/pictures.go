package demo

import (
	"context"
	"crypto/sha256"
	"encoding/base32"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"strings"

	"golang.org/x/image/vector"

	"product-comments/internal/files/photos"
	"product-comments/store"
	"product-comments/store/errs"
)

// canvas is a picture that is drawn, in units of 100 in its shorter side.
type canvas struct {
	*image.RGBA
	unit float32
}

// shape is a path within a box, in units.
type shape struct {
	left, top, right, bottom float32
	draw                     func(r *vector.Rasterizer, at func(x, y float32) (float32, float32))
}

// fill fills a shape with a colour. It computes the pixels of the box alone.
func (c canvas) fill(of color.Color, s shape) {
	box := image.Rect(int(s.left*c.unit)-1, int(s.top*c.unit)-1, int(s.right*c.unit)+1, int(s.bottom*c.unit)+1).Intersect(c.Rect)
	r := vector.NewRasterizer(box.Dx(), box.Dy())
	s.draw(r, func(x, y float32) (float32, float32) {
		return x*c.unit - float32(box.Min.X), y*c.unit - float32(box.Min.Y)
	})
	r.Draw(c.RGBA, box, image.NewUniform(of), image.Point{})
}

// polygon is a shape of corners.
func polygon(corners ...float32) shape {
	s := shape{left: corners[0], top: corners[1], right: corners[0], bottom: corners[1]}
	for i := 2; i < len(corners); i += 2 {
		s.left, s.right = min(s.left, corners[i]), max(s.right, corners[i])
		s.top, s.bottom = min(s.top, corners[i+1]), max(s.bottom, corners[i+1])
	}
	s.draw = func(r *vector.Rasterizer, at func(x, y float32) (float32, float32)) {
		r.MoveTo(at(corners[0], corners[1]))
		for i := 2; i < len(corners); i += 2 {
			r.LineTo(at(corners[i], corners[i+1]))
		}
		r.ClosePath()
	}
	return s
}

// round is a rectangle with round corners; a circle if they are half of its size.
func round(x, y, width, height, radius float32) shape {
	right, bottom := x+width, y+height
	return shape{x, y, right, bottom, func(r *vector.Rasterizer, at func(x, y float32) (float32, float32)) {
		corner := func(x1, y1, x2, y2, x3, y3 float32) {
			ax, ay := at(x1, y1)
			bx, by := at(x2, y2)
			cx, cy := at(x3, y3)
			r.CubeTo(ax, ay, bx, by, cx, cy)
		}
		d, k := radius, radius*0.45 // of a circle's curve
		r.MoveTo(at(x+d, y))
		r.LineTo(at(right-d, y))
		corner(right-k, y, right, y+k, right, y+d)
		r.LineTo(at(right, bottom-d))
		corner(right, bottom-k, right-k, bottom, right-d, bottom)
		r.LineTo(at(x+d, bottom))
		corner(x+k, bottom, x, bottom-k, x, bottom-d)
		r.LineTo(at(x, y+d))
		corner(x, y+k, x+k, y, x+d, y)
		r.ClosePath()
	}}
}

// shade returns a colour as light as a part of it, or lighter.
func shade(c color.RGBA, by float32) color.RGBA {
	of := func(v uint8) uint8 { return uint8(min(float32(v)*by, 255)) }
	return color.RGBA{of(c.R), of(c.G), of(c.B), 255}
}

// backpack draws the backpack of the shop, so high, with its left upper corner at x, y.
func (c canvas) backpack(x, y, height float32, of color.RGBA) {
	s := height / 150
	part := func(by, dx, dy, w, h, radius float32) {
		c.fill(shade(of, by), round(x+dx*s, y+dy*s, w*s, h*s, radius*s))
	}
	c.fill(color.RGBA{0, 0, 0, 60}, round(x-6*s, y+138*s, 120*s, 18*s, 9*s)) // its shadow
	part(0.55, 36, -22, 36, 40, 18)
	part(1.6, 44, -14, 20, 26, 10)
	part(0.6, -8, 36, 16, 100, 8)
	part(0.6, 100, 36, 16, 100, 8)
	part(1, 0, 0, 108, 150, 34)
	part(1.15, 6, 4, 30, 140, 15)
	part(0.8, 0, 0, 108, 62, 31)
	part(1.3, 16, 82, 76, 54, 14)
	part(0.7, 24, 94, 60, 5, 2)
	part(2, 50, 56, 8, 16, 3)
}

// scenes draw what is behind and around a backpack, over a background.
var scenes = []struct {
	sky, ground color.RGBA
	horizon     float32 // from the top
	draw        func(c canvas)
}{
	{color.RGBA{150, 196, 232, 255}, color.RGBA{96, 128, 72, 255}, 68, func(c canvas) { // mountains
		c.fill(color.RGBA{122, 138, 160, 255}, polygon(-10, 70, 28, 16, 62, 70))
		c.fill(color.RGBA{240, 244, 250, 255}, polygon(28, 16, 19, 29, 27, 33, 32, 28, 37, 30))
		c.fill(color.RGBA{98, 116, 140, 255}, polygon(40, 70, 92, 26, 150, 70))
	}},
	{color.RGBA{236, 196, 150, 255}, color.RGBA{214, 190, 146, 255}, 62, func(c canvas) { // a beach in the evening
		c.fill(color.RGBA{255, 236, 190, 255}, round(84, 22, 22, 22, 11))
		c.fill(color.RGBA{70, 128, 158, 255}, polygon(-10, 50, 150, 50, 150, 66, -10, 60))
	}},
	{color.RGBA{226, 222, 214, 255}, color.RGBA{142, 100, 66, 255}, 74, func(c canvas) { // a desk
		c.fill(color.RGBA{182, 206, 222, 255}, round(8, 10, 36, 44, 2))
		c.fill(color.RGBA{246, 246, 244, 255}, polygon(25, 10, 27, 10, 27, 54, 25, 54))
		c.fill(color.RGBA{52, 56, 64, 255}, polygon(90, 76, 98, 50, 130, 50, 124, 76))
		c.fill(color.RGBA{210, 90, 74, 255}, round(6, 66, 12, 14, 3))
	}},
	{color.RGBA{74, 104, 96, 255}, color.RGBA{66, 84, 58, 255}, 70, func(c canvas) { // a forest
		for i := range 8 {
			x := float32(i)*18 - 4
			c.fill(color.RGBA{58, 48, 42, 255}, polygon(x+5, 40, x+9, 40, x+9, 74, x+5, 74))
			c.fill(color.RGBA{40, uint8(84 + i%3*16), 66, 255}, polygon(x-6, 60, x+7, float32(6+i%3*8), x+20, 60))
		}
	}},
}

// hues are the colours of the backpacks.
var hues = []color.RGBA{{40, 96, 148, 255}, {186, 128, 32, 255}, {142, 58, 66, 255}}

// pictured are the comments with photos, each with the numbers of its pictures. Their places are
// those of the newest comments of a product.
var pictured = map[string]map[int][]int{
	"42": {0: {0}, 2: {5, 6}, 5: {3}, 9: {8}, 14: {10, 1}},
	"7":  {0: {2, 7}, 3: {4}, 6: {9}, 8: {11}},
}

// picture draws the picture with a number, from 0.
func picture(n int) (photos.Picture, error) {
	size, scene, wide := image.Pt(640, 480), scenes[n%len(scenes)], float32(133)
	if n%5 == 3 {
		size, wide = image.Pt(480, 640), 100
	}
	c := canvas{image.NewRGBA(image.Rectangle{Max: size}), 4.8}
	for y := range size.Y { // the sky is lighter at the horizon
		row := image.Rect(0, y, size.X, y+1)
		of := shade(scene.ground, 1.1-0.2*float32(y)/float32(size.Y))
		if at := float32(y) / c.unit; at < scene.horizon {
			of = shade(scene.sky, 0.85+0.2*at/scene.horizon)
		}
		draw.Draw(c.RGBA, row, image.NewUniform(of), image.Point{}, draw.Src)
	}
	scene.draw(c)
	height := float32(50 + n*7%16)
	c.backpack(wide*0.36+float32(n*11%20)-6, scene.horizon+22-height, height, hues[n%len(hues)])
	p, err := photos.Render(c.RGBA)
	sum := sha256.Sum256(fmt.Append(nil, "demo photo ", n)) // the same if the load is continued
	p.ID = strings.ToLower(base32.StdEncoding.WithPadding(base32.NoPadding).EncodeToString(sum[:16]))
	return p, err
}

// addPictures uploads the pictures of comments, and writes the comments with them, which may be there.
// No bucket means none.
func addPictures(ctx context.Context, st *store.Store, bucket *photos.Bucket, comments []store.Comment) error {
	places, with := map[string]int{}, []store.Comment(nil)
	for _, c := range comments {
		numbers := pictured[c.ProductID][places[c.ProductID]]
		places[c.ProductID]++
		if len(numbers) == 0 || bucket == nil {
			continue
		}
		for _, n := range numbers {
			p, err := picture(n)
			if err != nil {
				return err
			}
			one := p.Photo
			if err := st.UploadedPhoto(ctx, one, ""); err != nil && errs.CodeOf(err) != errs.Conflict {
				return err
			}
			if err := bucket.Put(ctx, p); err != nil {
				return err
			}
			c.Photos = append(c.Photos, one)
		}
		with = append(with, c)
	}
	_, err := st.Import(ctx, with)
	return err
}
