// Package attributes says what the attributes of comments are. A comment stores a flat JSON object,
// exactly as the client sent it. Definitions declare some members of the object as attributes, with
// type, labels and sort order. A value that cannot be converted to the type of its definition, or has
// no definition, is kept and otherwise ignored: so a change of definitions loses nothing. Package
// definitions stores what shops define.
package attributes
