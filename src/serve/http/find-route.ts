/** What a request asks for, by its path. */
export type Route =
  | { readonly to: "fleet-page" }
  | { readonly to: "stack-page"; readonly name: string }
  | { readonly to: "stacks" }
  | { readonly to: "stack" | "history" | "plan"; readonly name: string }
  | { readonly to: "health" }
  | { readonly to: "readiness" }
  | { readonly to: "metrics" }
  | { readonly to: "hook"; readonly name: string }
  | { readonly to: "nothing" }
  | { readonly to: "malformed" };

/** A request target, taken apart. */
export interface Target {
  readonly route: Route;
  /** Without its question mark. */
  readonly query: string;
}

/**
 * Finds what a request target names. Paths are compared as they come: nothing is normalized, and each segment is decoded
 * once, so `..`, `%2e%2e` and `%252f` are only letters of a name that no stack has.
 */
export function findRoute(url: string): Target {
  const mark = url.indexOf("?");
  const path = mark < 0 ? url : url.slice(0, mark);
  const query = mark < 0 ? "" : url.slice(mark + 1);
  return { route: routeOf(path), query };
}

const alone: { readonly [path: string]: Route } = {
  "/": { to: "fleet-page" },
  "/healthz": { to: "health" },
  "/readyz": { to: "readiness" },
  "/metrics": { to: "metrics" },
  "/api/stacks": { to: "stacks" },
};

function routeOf(path: string): Route {
  // Also what a proxy gets: `http://other.example/`, `*`.
  if (!path.startsWith("/")) return { to: "malformed" };
  if (Object.hasOwn(alone, path)) return alone[path] ?? { to: "nothing" };
  const [, first, second, third, ...rest] = path.split("/");
  if (first === "hooks" && second !== undefined && third === undefined) {
    return named(second, (name) => ({ to: "hook", name }));
  }
  if (first === "stacks" && second !== undefined && third === undefined) {
    return named(second, (name) => ({ to: "stack-page", name }));
  }
  if (first !== "api" || second !== "stacks" || third === undefined || rest.length > 1) return { to: "nothing" };
  const [part] = rest;
  if (part === undefined) return named(third, (name) => ({ to: "stack", name }));
  if (part === "history" || part === "plan") return named(third, (name) => ({ to: part, name }));
  return { to: "nothing" };
}

function named(segment: string, route: (name: string) => Route): Route {
  try {
    return route(decodeURIComponent(segment));
  } catch {
    return { to: "malformed" };
  }
}

/** Whether everybody who reaches the port may ask: what probes, scrapers and hooks need. A hook has a secret of its own. */
export function isOpen({ to }: Route): boolean {
  return to === "health" || to === "readiness" || to === "metrics" || to === "hook";
}
