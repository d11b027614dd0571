package runner

import (
	"fmt"

	"github.com/jackc/pgx/v5/pgconn"
)

// RefuseGSSEncryption refuses a configuration that asks for encryption by
// GSSAPI, which the driver does not have: the connection would be without. Where
// the connection string says nothing, variable decides, the value of libpq's
// PGGSSENCMODE. It takes gssencmode out of the configuration's parameters, since
// what is left there is sent to the server.
func RefuseGSSEncryption(c *pgconn.Config, variable string) error {
	name, mode := "PGGSSENCMODE", variable
	if given, ok := c.RuntimeParams["gssencmode"]; ok {
		name, mode = "gssencmode", given
		delete(c.RuntimeParams, "gssencmode")
	}
	return CheckGSSEncryption(name, mode)
}

// CheckGSSEncryption refuses a value of libpq's gssencmode that asks for
// encryption by GSSAPI; name is where it stands.
func CheckGSSEncryption(name, mode string) error {
	if mode != "require" {
		return nil
	}
	return fmt.Errorf("%s=require asks for GSSAPI encryption, which qbench does not support: leave it out, and use TLS instead (sslmode=verify-full)", name)
}
