# On a fresh machine with Go, `make demo` and `make test` do everything: where PostgreSQL's server binaries are missing they
# say so and install the system's package first. Where they are there, they are only the command shown.
.PHONY: demo test build lint bench postgres

demo: postgres
	go run . run --strategy skip-locked -c 256

test: postgres
	go test ./...

build:
	go build -o qbench .

# Formatting, vet, staticcheck, the walls between the layers, known vulnerabilities.
lint:
	bash .ci/lint

# The client's own cost: what a transaction takes on this side of the wire.
bench: postgres
	go test -run '^$$' -bench . -benchmem ./...

postgres:
	@go run ./internal/installpg
