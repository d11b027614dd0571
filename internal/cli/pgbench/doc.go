// Package pgbench is the command "qbench pgbench": pgbench's own command line
// in front of qbench's engine, with pgbench's report as the only output.
//
// It exists so that scripts, habits and parsers made for pgbench go on
// working. Options, messages and exit statuses are those of PostgreSQL 18's
// pgbench (and --continue-on-error of 19); --compat selects the form of an
// older report. What pgbench lacks is kept to two spellings: -M pipelined and
// --compat. What stays with pgbench is -i, making its tables.
//
// Behaviour was taken from PostgreSQL's manual and from trying pgbench 15; the
// files here and the built-in scripts were written for this project.
package pgbench
