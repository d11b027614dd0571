// Package wire encodes and decodes the messages of PostgreSQL's protocol, as
// far as a load needs them (PostgreSQL's manual, chapter "Frontend/Backend
// Protocol"). It works on bytes alone and knows neither sockets nor clients.
//
// What goes to the server is appended to a buffer, in append.go. What comes
// from it goes through a [Reader], which cuts it into messages, and is taken
// apart in decode.go and servererror.go. Neither allocates per message.
package wire
