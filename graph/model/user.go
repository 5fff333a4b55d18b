package model

// User is somebody who has ordered or written something. Only their name is known here.
type User struct {
	Username string
}

// IsNode marks a type of the interface Node.
func (User) IsNode() {}

// ID returns the global id.
func (u User) ID() string { return GlobalID(TypeUser, u.Username) }
