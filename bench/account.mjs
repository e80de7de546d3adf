// An account of any size: its manifests, the lists of the service, and the requests that create it.
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** The stack of all its resources. */
export const stack = "bench";

/** One resource in five is a backend, shared by four TLS edges. */
const backendsOf = (count) => Math.max(1, Math.floor(count / 5));

function backend(index) {
  const spec = {
    description: `Maintenance page ${index}`,
    metadata: { owner: "payments", ticket: `OPS-${index}` },
    status_code: 503,
    headers: { "content-type": "text/html", "retry-after": "120", "x-page": `page-${index}` },
    body: "<!doctype html>\n<title>Back soon</title>\n<h1>Back soon</h1>\n<p>We are working on it.</p>\n",
  };
  const text = `apiVersion: edgewise/v1
kind: HTTPResponseBackend
metadata:
  name: page-${index}
  labels: { team: payments }
spec:
  description: ${spec.description}
  metadata:
    owner: payments
    ticket: OPS-${index}
  # the page that visitors see meanwhile
  status_code: 503
  headers:
    content-type: text/html
    retry-after: "120"
    x-page: page-${index}
  body: |
    <!doctype html>
    <title>Back soon</title>
    <h1>Back soon</h1>
    <p>We are working on it.</p>
`;
  return { kind: "HTTPResponseBackend", name: `page-${index}`, spec, text };
}

function edge(index, backends) {
  const page = `page-${index % backends}`;
  const spec = {
    description: `Public API number ${index}`,
    metadata: { owner: "payments", ticket: `OPS-${index}` },
    hostports: [`api-${index}.example.com:443`],
    tls_termination: { terminate_at: "edge", min_version: "1.2" },
    policy: { on_tcp_connect: [{ name: "log", actions: [{ type: "log" }] }] },
  };
  const text = `apiVersion: edgewise/v1
kind: TLSEdge
metadata:
  name: edge-${index}
  labels: { team: payments }
spec:
  description: ${spec.description}
  metadata:
    owner: payments
    ticket: OPS-${index}
  hostports:
    - "api-${index}.example.com:443"
  backend:
    backend: { name: ${page} }
  tls_termination:
    terminate_at: edge
    min_version: "1.2"
  traffic_policy:
    value:
      on_tcp_connect:
        - name: log
          actions:
            - type: log
`;
  return { kind: "TLSEdge", name: `edge-${index}`, page, spec, text };
}

/** The resources of an account, backends first. */
function resources(count) {
  const backends = backendsOf(count);
  return Array.from({ length: count }, (_, at) => (at < backends ? backend(at) : edge(at - backends, backends)));
}

/** Writes an account's manifests, 500 in each file, and a configuration into a new folder. */
export function writeManifests(folder, count) {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(join(folder, "edge"), { recursive: true });
  const config = `apiVersion: edgewise/v1\nkind: Config\nstack: ${stack}\nmanifests: [edge/]\n`;
  writeFileSync(join(folder, "edgewise.yaml"), config);
  const texts = resources(count).map(({ text }) => text);
  for (let at = 0; at < count; at += 500)
    writeFileSync(join(folder, "edge", `${at}.yaml`), texts.slice(at, at + 500).join("---\n"));
}

/** The requests that create an account: backends first, whose ids the edges take. `needs` names the backend of an edge. */
export function posts(count) {
  return resources(count).map(({ kind, name, page, spec }) => {
    const { metadata, policy, ...rest } = spec;
    const body = { ...rest, metadata: JSON.stringify({ edgewise: { stack, name }, ...metadata }) };
    if (kind === "HTTPResponseBackend") return { name, path: "/backends/http_response", body, needs: null };
    body.backend = { enabled: true, backend_id: null };
    body.tls_termination = { enabled: true, ...rest.tls_termination };
    body.traffic_policy = { enabled: true, value: JSON.stringify(policy) };
    return { name, path: "/edges/tls", body, needs: page };
  });
}

/** An id as services assign them: newer ids sort after older ones. */
const idOf = (prefix, name) => `${prefix}_2kXq9V0sB4nT7m${name.split("-")[1].padStart(12, "0")}`;

/** Writes a data file for the sandbox: an account that matches its manifests. */
export function writeWorld(file, count) {
  const lists = { HTTPResponseBackend: [], TLSEdge: [] };
  for (const { body, name, needs } of posts(count)) {
    const common = { uri: `https://api.example.com/${name}`, created_at: "2026-01-31T12:00:00Z", ...body };
    if (needs === null) {
      lists.HTTPResponseBackend.unshift({ id: idOf("bkdhr", name), ...common });
      continue;
    }
    const id = idOf("bkdhr", needs);
    common.backend = { enabled: true, backend: { id, uri: `https://api.example.com/backends/http_response/${id}` } };
    lists.TLSEdge.unshift({
      id: idOf("edgtls", name),
      ...common,
      ip_restriction: null,
      mutual_tls: null,
      policy: null,
    });
  }
  writeFileSync(file, JSON.stringify({ format: "edgewise.sandbox/v1", baseUrl: null, lists, modules: {} }));
}
