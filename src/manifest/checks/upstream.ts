import { isObject } from "../../json.js";
import { kinds } from "../../kinds/registry.js";
import type { ManifestCheck } from "./check.js";

/** Modules that look into the traffic, which is not possible when TLS passes through (specification, EndpointTLSTermination). */
const forbidden: ReadonlySet<string> = new Set(["mutual_tls", "traffic_policy"]);

/** With `terminate_at: upstream` there is no minimum version, and most other modules are disallowed. */
export const upstream: ManifestCheck = ({ kind, spec }, find) => {
  const termination = spec["tls_termination"];
  if (!isObject(termination) || termination["terminate_at"] !== "upstream") return;
  if ((termination["min_version"] ?? null) !== null) {
    const message = "min_version must be null when terminate_at is upstream: the service does not see the handshake";
    find({ code: "upstream-min-version", message, path: ["spec", "tls_termination", "min_version"] });
  }
  for (const [name, field] of Object.entries(kinds[kind].fields)) {
    if (field.module === undefined || name === "tls_termination" || !isObject(spec[name])) continue;
    const path = ["spec", name];
    if (forbidden.has(name)) {
      const message = `${name} can't stand beside terminate_at: upstream, which passes the traffic through unread`;
      find({ code: "upstream-module", message, path, at: "key" });
    } else {
      const message = `${name} stands beside terminate_at: upstream, with which the service disallows most modules`;
      find({ code: "upstream-module-doubtful", message, path, at: "key" });
    }
  }
};
