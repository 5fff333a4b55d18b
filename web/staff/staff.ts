// The script of the staff's desk.
export {};
