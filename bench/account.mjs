// An account of any size: its manifests as text and as the planner takes them, and the lists of the service.
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

export const stack = "bench";

/** One resource in five is a backend, shared by four TLS edges. */
const backendsOf = (count) => Math.max(1, Math.floor(count / 5));

function backend(index) {
  return {
    kind: "HTTPResponseBackend",
    name: `page-${index}`,
    spec: {
      description: `Maintenance page ${index}`,
      metadata: { owner: "payments", ticket: `OPS-${index}` },
      status_code: 503,
      headers: { "content-type": "text/html", "retry-after": "120", "x-page": `page-${index}` },
      body: "<!doctype html>\n<title>Back soon</title>\n<h1>Back soon</h1>\n<p>We are working on it.</p>\n",
    },
    text: `apiVersion: edgewise/v1
kind: HTTPResponseBackend
metadata:
  name: page-${index}
  labels:
    team: payments
    tier: front
spec:
  description: Maintenance page ${index}
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
`,
  };
}

function edge(index, backends) {
  const page = `page-${index % backends}`;
  return {
    kind: "TLSEdge",
    name: `edge-${index}`,
    spec: {
      description: `Public API number ${index}`,
      metadata: { owner: "payments", ticket: `OPS-${index}` },
      hostports: [`api-${index}.example.com:443`],
      backend: { enabled: true, backend: { name: page } },
      tls_termination: { terminate_at: "edge", min_version: "1.2" },
      traffic_policy: { value: { on_tcp_connect: [{ name: "log", actions: [{ type: "log" }] }] } },
    },
    text: `apiVersion: edgewise/v1
kind: TLSEdge
metadata:
  name: edge-${index}
  labels:
    team: payments
spec:
  description: Public API number ${index}
  metadata:
    owner: payments
    ticket: OPS-${index}
  hostports:
    - "api-${index}.example.com:443"
  backend:
    enabled: true
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
`,
  };
}

/** The resources of an account, backends first. */
export function* resources(count) {
  const backends = backendsOf(count);
  for (let index = 0; index < backends; index++) yield backend(index);
  for (let index = 0; index < count - backends; index++) yield edge(index, backends);
}

/** The number of pages of an account's longest list. */
export function longestChain(count, pageSize = 100) {
  return Math.ceil((count - backendsOf(count)) / pageSize);
}

/** The {@link resources} as the loader returns them: by kind, then by name. */
export function manifests(count) {
  const sorted = Array.from(resources(count)).sort((a, b) =>
    a.kind === b.kind ? (a.name < b.name ? -1 : 1) : a.kind === "TLSEdge" ? -1 : 1,
  );
  return sorted.map(({ kind, name, spec }) => ({
    kind,
    name,
    address: `${kind}/${name}`,
    source: { file: "edge/all.yaml", line: 1 },
    labels: {},
    id: null,
    previousNames: [],
    lifecycle: { ignore: [] },
    fingerprint: "sha256:0",
    spec,
  }));
}

/** An id as services assign them: newer ids sort after older ones. */
function idOf(prefix, name) {
  const [, index] = name.split("-");
  return `${prefix}_2kXq9V0sB4nT7m${index.padStart(12, "0")}`;
}

/**
 * The lists of the service for an account, newest first: those that hold something. All others are empty.
 * @param changed whether every description differs from the manifests
 */
export function lists(count, changed = false) {
  const pages = [];
  const edges = [];
  for (const { kind, name, spec } of resources(count)) {
    const common = {
      uri: `https://api.example.com/${name}`,
      created_at: "2026-01-31T12:00:00Z",
      description: changed ? "old" : spec.description,
      metadata: JSON.stringify({ edgewise: { stack, name }, ...spec.metadata }),
    };
    if (kind === "HTTPResponseBackend") {
      const { body, headers, status_code } = spec;
      pages.push({ id: idOf("bkdhr", name), ...common, body, headers, status_code });
      continue;
    }
    const id = idOf("bkdhr", spec.backend.backend.name);
    edges.push({
      id: idOf("edgtls", name),
      ...common,
      hostports: spec.hostports,
      backend: { enabled: true, backend: { id, uri: `https://api.example.com/backends/http_response/${id}` } },
      ip_restriction: null,
      mutual_tls: null,
      tls_termination: { enabled: true, ...spec.tls_termination },
      traffic_policy: { enabled: true, value: JSON.stringify(spec.traffic_policy.value) },
      policy: null,
    });
  }
  return { TLSEdge: edges.toReversed(), HTTPResponseBackend: pages.toReversed() };
}

/** The {@link lists} of a stack of any name, whose hostports and ids no other stack has. */
export function stackLists(name, count) {
  const { HTTPResponseBackend, TLSEdge } = lists(count);
  const renamed = (wire) =>
    JSON.parse(
      JSON.stringify(wire)
        .replaceAll(`\\"stack\\":\\"${stack}\\"`, `\\"stack\\":\\"${name}\\"`)
        .replaceAll("api-", `api-${name}-`)
        .replaceAll(/((?:edgtls|bkdhr)_2kXq9V0sB4nT7m)/gu, `$1${name}`),
    );
  return { HTTPResponseBackend: HTTPResponseBackend.map(renamed), TLSEdge: TLSEdge.map(renamed) };
}

/** Writes a data file for the sandbox: an account with stacks `s0000` and so on, of so many resources each. */
export function writeStackWorld(file, stacks, each) {
  const all = { HTTPResponseBackend: [], TLSEdge: [] };
  for (let index = 0; index < stacks; index++) {
    const own = stackLists(`s${String(index).padStart(4, "0")}`, each);
    for (const [kind, wires] of Object.entries(own)) all[kind].push(...wires);
  }
  writeFileSync(file, JSON.stringify({ format: "edgewise.sandbox/v1", baseUrl: null, lists: all, modules: {} }));
}

/** The requests that create an account, as `apply` sends them: backends first, whose ids the edges take. */
export function posts(count) {
  return Array.from(resources(count), ({ kind, name, spec }) => {
    const { backend, description, metadata, ...rest } = spec;
    const common = { description, metadata: JSON.stringify({ edgewise: { stack, name }, ...metadata }) };
    if (kind === "HTTPResponseBackend") {
      return { name, path: "/backends/http_response", body: { ...common, ...rest }, needs: null };
    }
    const { hostports, tls_termination, traffic_policy } = rest;
    const body = {
      ...common,
      hostports,
      backend: { enabled: true, backend_id: null },
      tls_termination: { enabled: true, ...tls_termination },
      traffic_policy: { enabled: true, value: JSON.stringify(traffic_policy.value) },
    };
    return { name, path: "/edges/tls", body, needs: backend.backend.name };
  });
}

/**
 * Writes an account's manifests and a configuration into a new folder.
 * @param perFile how many manifests each file has
 */
export function writeManifests(folder, count, perFile) {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(join(folder, "edge"), { recursive: true });
  writeFileSync(
    join(folder, "edgewise.yaml"),
    `apiVersion: edgewise/v1\nkind: Config\nstack: ${stack}\nmanifests: [edge/]\n`,
  );
  let texts = [];
  let file = 0;
  const flush = () => {
    if (texts.length > 0) {
      writeFileSync(join(folder, "edge", `${String(file++).padStart(5, "0")}.yaml`), texts.join("---\n"));
    }
    texts = [];
  };
  for (const { text } of resources(count)) {
    texts.push(text);
    if (texts.length === perFile) flush();
  }
  flush();
}

/**
 * Writes a data file for the sandbox: an account that matches its manifests.
 * @param changed whether every description differs from them
 */
export function writeWorld(file, count, changed = false) {
  writeFileSync(
    file,
    JSON.stringify({ format: "edgewise.sandbox/v1", baseUrl: null, lists: lists(count, changed), modules: {} }),
  );
}
