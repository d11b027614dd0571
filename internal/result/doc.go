// Package result is the record of what was measured: plain data that the
// measuring packages compose and that every renderer, comparison and plan reads.
// It imports nothing else of this program, so that a report needs no database and
// no load generator.
//
// Start with [File] and [Run]. [Configuration] says which runs measured the same
// thing, and [Metrics] what each number is called and means.
package result
