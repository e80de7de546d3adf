import type { ApiRequest, ApiResponse, Client } from "../../../src/api/client.ts";
import { applyPlan } from "../../../src/apply/apply-plan.ts";
import type { ApplyReport } from "../../../src/apply/result.ts";
import type { Json } from "../../../src/core/json.ts";
import { listedKinds } from "../../../src/kinds/names.ts";
import { kinds } from "../../../src/kinds/registry.ts";
import { applyEffects } from "../../../src/model/effects.ts";
import { respond } from "../../../src/model/respond.ts";
import type { Plan } from "../../../src/plan/plan-format.ts";
import { Secret } from "../../../src/core/secret.ts";
import type { Account } from "../../plan/support/account.ts";
import { problem } from "./fake-service.ts";
import { SimulatedClock } from "../../serve/support/simulated-clock.ts";

export interface Trouble {
  readonly refuses?: (request: ApiRequest, before: number) => boolean;
  readonly isHollow?: boolean;
  readonly signalAfter?: number;
}

export function applyToAccount(
  account: Account,
  plan: Plan,
  { isHollow = false, refuses = () => false, signalAfter = Number.POSITIVE_INFINITY }: Trouble = {},
): Promise<ApplyReport> {
  const soft = new AbortController();
  let requests = 0;
  const client: Pick<Client, "send" | "list"> = {
    list: ({ path }) =>
      Promise.resolve(listedKinds.flatMap((kind) => (kinds[kind].collection?.path === path ? account.list(kind) : []))),
    send: (request: ApiRequest): Promise<ApiResponse> => {
      const isRefused = refuses(request, requests);
      requests += 1;
      if (requests > signalAfter) soft.abort();
      if (isRefused) return Promise.reject(problem(request, 403, "answered", "no"));
      const { path, method } = request;
      if (isHollow && method === "GET") return Promise.resolve({ status: 200, body: {} } as ApiResponse);
      // Secrets are masked.
      const body = request.body === undefined ? undefined : (JSON.parse(JSON.stringify(request.body)) as Json);
      const { response, effects } = respond(
        account.world,
        { method, path, ...(body === undefined ? {} : { body }) },
        account.env,
      );
      applyEffects(account.world, effects);
      return response.status >= 300
        ? Promise.reject(problem(request, response.status, "answered", JSON.stringify(response.body)))
        : Promise.resolve({ status: response.status, body: response.body } as ApiResponse);
    },
  };
  return applyPlan(plan, {
    client,
    concurrency: 3,
    resolveSecret: () => Secret.of("k", "env K"),
    signal: soft.signal,
    onEvent: () => {},
    clock: new SimulatedClock(),
    random: () => 0.5,
  });
}
