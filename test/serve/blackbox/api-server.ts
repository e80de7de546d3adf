import { type IncomingMessage, createServer } from "node:http";
import type { AddressInfo } from "node:net";

/** A resource as the service shows it, plus nothing. */
export type Wire = Record<string, unknown>;

export interface Request {
  readonly at: number;
  readonly method: string;
  readonly path: string;
  readonly body: Wire | null;
  readonly status: number;
}

/** An answer instead of the service's own. `body` may be anything, also no JSON. */
export interface Answer {
  readonly status: number;
  readonly body?: unknown;
  readonly headers?: { readonly [name: string]: string };
  /** Milliseconds before it. */
  readonly delay?: number;
}

interface Collection {
  readonly path: string;
  readonly member: string;
  readonly prefix: string;
  readonly make: (body: Wire, service: ApiServer) => Wire;
  readonly patch: readonly string[];
}

const refs = (ids: unknown, path: string): Wire[] =>
  (Array.isArray(ids) ? ids : []).map((id) => ({ id, uri: `/${path}/${String(id)}` }));

const textOf = (value: unknown): string => (typeof value === "string" ? value : "");

/** What the modules of a TLS edge look like, made from their parameters. */
const modules: { readonly [name: string]: (value: Wire) => Wire } = {
  backend: ({ enabled, backend_id }) => ({
    enabled: enabled ?? true,
    backend: { id: backend_id, uri: `/backends/http_response/${String(backend_id)}` },
  }),
  ip_restriction: ({ enabled, ip_policy_ids }) => ({
    enabled: enabled ?? true,
    ip_policies: refs(ip_policy_ids, "ip_policies"),
  }),
  mutual_tls: ({ enabled, certificate_authority_ids }) => ({
    enabled: enabled ?? true,
    certificate_authorities: refs(certificate_authority_ids, "certificate_authorities"),
  }),
  tls_termination: ({ enabled, terminate_at, min_version }) => ({
    enabled: enabled ?? true,
    terminate_at: terminate_at ?? "edge",
    min_version: min_version ?? (terminate_at === "upstream" ? null : "1.2"),
  }),
  traffic_policy: ({ enabled, value }) => ({ enabled: enabled ?? true, value }),
  webhook_verification: ({ enabled, provider, secret }) => ({ enabled: enabled ?? true, provider, secret }),
};

function moduleOf(name: string, value: unknown): Wire | null {
  const make = modules[name];
  return value === null || value === undefined || make === undefined ? null : make(value as Wire);
}

const edgeModules = ["backend", "ip_restriction", "mutual_tls", "tls_termination", "traffic_policy"];

const collections: { readonly [name: string]: Collection } = {
  ip_restrictions: {
    path: "/ip_restrictions",
    member: "ip_restrictions",
    prefix: "ipx_",
    patch: ["description", "metadata", "enforced", "ip_policy_ids"],
    make: ({ description, enforced, ip_policy_ids, metadata, type }) => ({
      description: textOf(description),
      metadata: textOf(metadata),
      enforced: enforced ?? false,
      type,
      ip_policies: refs(ip_policy_ids, "ip_policies"),
    }),
  },
  tls_edges: {
    path: "/edges/tls",
    member: "tls_edges",
    prefix: "edgtls_",
    patch: ["description", "metadata", "hostports", ...edgeModules],
    make: ({ description, hostports, metadata, ...body }) => ({
      description: textOf(description),
      metadata: textOf(metadata),
      hostports: hostports ?? [],
      ...Object.fromEntries(edgeModules.map((name) => [name, moduleOf(name, body[name])])),
      policy: null,
    }),
  },
  reserved_addrs: {
    path: "/reserved_addrs",
    member: "reserved_addrs",
    prefix: "ra_",
    patch: ["description", "metadata", "endpoint_configuration_id"],
    make: ({ description, metadata, region }, service) => ({
      description: textOf(description),
      metadata: textOf(metadata),
      addr: `${service.next()}.tcp.example.com:${20_000 + service.next()}`,
      region: region ?? "us",
      endpoint_configuration: null,
    }),
  },
  backends: {
    path: "/backends/http_response",
    member: "backends",
    prefix: "bkdhr_",
    patch: ["description", "metadata", "body", "headers", "status_code"],
    make: ({ body, description, headers, metadata, status_code }) => ({
      description: textOf(description),
      metadata: textOf(metadata),
      body: textOf(body),
      headers: lowerCase(headers),
      status_code,
    }),
  },
  tls_certificates: {
    path: "/tls_certificates",
    member: "tls_certificates",
    prefix: "cert_",
    patch: ["description", "metadata"],
    make: ({ certificate_pem, description, metadata }) => ({
      description: textOf(description),
      metadata: textOf(metadata),
      certificate_pem,
      subject_common_name: "www.example.com",
      subject_alternative_names: { dns_names: [], ips: [] },
      issued_at: null,
      not_before: "2026-01-01T00:00:00Z",
      not_after: "2036-01-01T00:00:00Z",
      key_usages: [],
      extended_key_usages: [],
      private_key_type: "ecdsa",
      issuer_common_name: "www.example.com",
      serial_number: "1",
    }),
  },
};

function lowerCase(headers: unknown): Wire | null {
  if (typeof headers !== "object" || headers === null) return null;
  const found = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value as unknown] as const);
  return found.length === 0 ? null : Object.fromEntries(found);
}

/** The service, written from its specification alone: what the program is judged with is not what it was made with. */
export class ApiServer {
  readonly key = "key-of-the-account-0123456789";
  /** How many resources a page of a list has. */
  pageSize = 2;
  /** Lists show what was so many milliseconds ago. */
  lagMs = 0;
  versionHeader = "service-version";
  /** Answers in the place of the service; null = the service answers. */
  fault: (method: string, path: string) => Answer | null = () => null;
  readonly requests: Request[] = [];
  readonly modules = new Map<string, Wire>();
  #baseUrl = "";
  #count = 0;
  readonly #objects = new Map<string, Wire[]>(Object.keys(collections).map((name) => [name, []]));
  #past: { readonly at: number; readonly objects: Map<string, Wire[]> }[] = [];
  readonly #server = createServer((request, response) => {
    void this.#answer(request).then(async ({ body, delay = 0, headers, status }) => {
      if (delay > 0) await new Promise((resolve) => setTimeout(resolve, delay));
      const text = body === undefined ? "" : typeof body === "string" ? body : JSON.stringify(body);
      response.writeHead(status, { "content-type": "application/json", ...headers }).end(text);
    });
  });

  get baseUrl(): string {
    return this.#baseUrl;
  }

  next(): number {
    return (this.#count += 1);
  }

  async open(): Promise<void> {
    await new Promise<void>((resolve) => this.#server.listen(0, "127.0.0.1", resolve));
    this.#baseUrl = `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  /** The resources of a collection: to be looked at, and changed as by a hand. */
  objects(collection: keyof typeof collections): Wire[] {
    return this.#objects.get(String(collection)) ?? [];
  }

  /** Makes a resource as a hand would. */
  add(collection: string, body: Wire): Wire {
    const found = collections[collection];
    if (found === undefined) throw new Error(collection);
    const id = `${found.prefix}${String(this.next()).padStart(6, "0")}`;
    const made = {
      id,
      uri: `${this.#baseUrl}${found.path}/${id}`,
      created_at: new Date().toISOString(),
      ...found.make(body, this),
    };
    this.#remember();
    this.objects(collection).push(made);
    return made;
  }

  /** What was written, in the order of arrival. */
  writes(): readonly string[] {
    return this.requests.filter(({ method }) => method !== "GET").map(({ method, path }) => `${method} ${path}`);
  }

  #remember(): void {
    this.#past.push({
      at: Date.now(),
      objects: new Map([...this.#objects].map(([name, all]) => [name, structuredClone(all)])),
    });
    this.#past = this.#past.slice(-200);
  }

  #listed(collection: string): readonly Wire[] {
    const then = Date.now() - this.lagMs;
    // What was remembered is how it was until then.
    const past = this.lagMs === 0 ? undefined : this.#past.find(({ at }) => at > then);
    return past?.objects.get(collection) ?? this.objects(collection);
  }

  async #answer(request: IncomingMessage): Promise<Answer> {
    const url = new URL(request.url ?? "/", "http://host");
    const method = request.method ?? "GET";
    let text = "";
    for await (const chunk of request) text += String(chunk);
    const body = text === "" ? null : (JSON.parse(text) as Wire);
    const answer =
      request.headers.authorization !== `Bearer ${this.key}`
        ? { status: 401, body: { error_code: "ERR_401", msg: "no such key" } }
        : request.headers[this.versionHeader] !== "2"
          ? { status: 400, body: { error_code: "ERR_400", msg: "no version" } }
          : (this.fault(method, url.pathname) ?? this.#serve(method, url, body));
    this.requests.push({ at: Date.now(), method, path: url.pathname, body, status: answer.status });
    return answer;
  }

  #serve(method: string, url: URL, body: Wire | null): Answer {
    const { pathname } = url;
    const none = { status: 404, body: { error_code: "ERR_404", msg: "no such resource" } };
    for (const [name, { make, member, patch, path }] of Object.entries(collections)) {
      if (pathname === path) {
        if (method === "POST") return { status: 201, body: this.add(name, body ?? {}) };
        const from = Number(url.searchParams.get("from") ?? 0);
        const all = this.#listed(name);
        const more = all.length > from + this.pageSize;
        const uri = `${this.#baseUrl}${path}`;
        return {
          status: 200,
          body: {
            [member]: all.slice(from, from + this.pageSize),
            uri,
            next_page_uri: more ? `${uri}?from=${from + this.pageSize}` : null,
          },
        };
      }
      if (!pathname.startsWith(`${path}/`)) continue;
      const [id = "", module] = pathname.slice(path.length + 1).split("/");
      const found = this.objects(name).find((one) => one["id"] === id);
      if (found === undefined) return none;
      if (method !== "GET") this.#remember();
      if (module !== undefined) return this.#module(method, found, module, body);
      if (method === "GET") return { status: 200, body: found };
      if (method === "DELETE") {
        this.objects(name).splice(this.objects(name).indexOf(found), 1);
        return { status: 204 };
      }
      const wrong = Object.keys(body ?? {}).find((key) => !patch.includes(key));
      if (wrong !== undefined || body === null || Object.keys(body).length === 0)
        return { status: 400, body: { error_code: "ERR_400", msg: `not updatable: ${wrong}` } };
      const made = make({ ...body }, this);
      for (const key of Object.keys(body)) {
        if (key === "ip_policy_ids") found["ip_policies"] = made["ip_policies"];
        else if (key === "endpoint_configuration_id")
          found["endpoint_configuration"] = { id: body[key], uri: "/endpoint_configurations/x" };
        else if (!edgeModules.includes(key) || made[key] !== null) found[key] = made[key];
      }
      return { status: 200, body: found };
    }
    const [, , , id, ...rest] = pathname.split("/");
    if (!pathname.startsWith("/edges/https/") || id === undefined) return none;
    const name = rest.at(-1) ?? "";
    if (method === "DELETE") return this.modules.delete(pathname) ? { status: 204 } : none;
    if (method === "PUT") this.modules.set(pathname, moduleOf(name, body) ?? {});
    const found = this.modules.get(pathname);
    return found === undefined ? none : { status: 200, body: found };
  }

  #module(method: string, edge: Wire, name: string, body: Wire | null): Answer {
    if (!["mutual_tls", "traffic_policy", "tls_termination"].includes(name)) return { status: 404, body: {} };
    if (method === "DELETE") {
      edge[name] = null;
      return { status: 204 };
    }
    if (method === "PUT") edge[name] = moduleOf(name, body);
    return edge[name] === null ? { status: 404, body: {} } : { status: 200, body: edge[name] };
  }
}
