// Command qbench load-tests queues kept in PostgreSQL tables.
package main

func main() {}
