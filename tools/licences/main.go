// Command licences lists the components of the binary, Go modules and the npm packages that are
// embedded with the playground: as docs/licences.md, or with -sbom as a bill of materials in
// CycloneDX format.
package main

import (
	"flag"
	"fmt"
	"os"
)

func main() {
	sbom := flag.Bool("sbom", false, "write a bill of materials instead of the list")
	flag.Parse()
	parts, err := all(".")
	if err == nil {
		out := list(parts)
		if *sbom {
			out, err = bill(parts)
		}
		if err == nil {
			_, err = os.Stdout.Write(out)
		}
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "licences:", err)
		os.Exit(1)
	}
}
