# Rules over `edgewise plan -o json`, for conftest. See docs/policies.md; policies in edgewise.yaml need no other program.
package main

import rego.v1

deny contains msg if {
	some change in input.changes
	some field in change.fields
	field.path == "spec.tls_termination.min_version"
	field.after in {"1.0", "1.1"}
	msg := sprintf("%s: edges take TLS 1.2 or newer", [change.address])
}

deny contains msg if {
	some change in input.changes
	some field in change.fields
	field.path == "spec.tls_termination"
	field.after.min_version in {"1.0", "1.1"}
	msg := sprintf("%s: edges take TLS 1.2 or newer", [change.address])
}

deny contains msg if {
	input.summary.delete + input.summary.replace > 2
	msg := "delete and replace at most two resources with one pull request"
}

warn contains msg if {
	some change in input.changes
	change.action == "create"
	startswith(change.address, "TLSEdge/")
	not has_owner(change)
	msg := sprintf("%s: write down who owns it, in its metadata", [change.address])
}

has_owner(change) if {
	some field in change.fields
	field.path == "spec.metadata"
	field.after.owner
}
