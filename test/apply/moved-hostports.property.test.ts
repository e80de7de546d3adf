import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { ApiRequest } from "../../src/api/client.ts";
import type { ApplyReport } from "../../src/apply/result.ts";
import type { Manifest } from "../../src/manifest/manifest.ts";
import type { Plan } from "../../src/plan/plan-format.ts";
import { Account } from "../plan/support/account.ts";
import { edge } from "../plan/support/manifests.ts";
import { runs } from "../support/runs.ts";
import { applyToAccount } from "./support/apply-to-account.ts";

const edges = 5;
const ports = 8;
const permissive = { allowEmpty: true, maxDeletes: { count: 99 } } as const;

/** Which edge serves each hostport; `edges` = none. An edge without any hostport is not there. */
type Owners = readonly number[];
const owners = fc.array(fc.nat({ max: edges }), { minLength: ports, maxLength: ports });
const hostport = (port: number): string => `p${port}.example.com:443`;

function manifestsOf(of: Owners): readonly Manifest[] {
  return Array.from({ length: edges }, (_, index) => index).flatMap((index) => {
    const own = of.flatMap((owner, port) => (owner === index ? [hostport(port)] : []));
    return own.length === 0 ? [] : [edge(`e${index}`, { hostports: own })];
  });
}

interface Trouble {
  readonly stubborn: readonly number[];
  readonly signalAfter: number;
}
const trouble: fc.Arbitrary<Trouble> = fc.record({
  stubborn: fc.uniqueArray(fc.nat({ max: edges - 1 }), { maxLength: 2 }),
  signalAfter: fc.oneof(fc.constant(Number.POSITIVE_INFINITY), fc.nat({ max: 8 })),
});

function applyTo(account: Account, plan: Plan, { signalAfter, stubborn }: Trouble): Promise<ApplyReport> {
  const names = new Set(stubborn.map((index) => `TLSEdge/e${index}`));
  const gains = new Set(
    plan.operations
      .filter(
        ({ address, kind, waits }) => kind !== "delete" && names.has(address) && Object.values(waits).includes("free"),
      )
      .map(({ body, path }) => `${path} ${JSON.stringify(body)}`),
  );
  const refuses = ({ body = null, path }: ApiRequest): boolean => gains.has(`${path} ${JSON.stringify(body)}`);
  return applyToAccount(account, plan, { refuses, signalAfter });
}

describe("hostports that move between edges, some of which fail for good or are cut off by a signal", () => {
  it("are served in the end, or named as unserved; the next run gives each to the edge that is to have it", async () => {
    await fc.assert(
      fc.asyncProperty(owners, owners, trouble, async (from, to, wrong) => {
        const account = new Account();
        account.run(account.plan(manifestsOf(from), permissive));
        const plan = account.plan(manifestsOf(to), permissive);
        expect(plan.refusals).toEqual([]);
        const { warnings } = await applyTo(account, plan, wrong);
        const served = account.list("TLSEdge").flatMap(({ hostports }) => hostports as readonly string[]);
        expect(new Set(served).size).toBe(served.length);
        const named = warnings.flatMap(({ code, message }) =>
          code === "hostport-unserved" || code === "restore-failed" ? [message] : [],
        );
        for (let port = 0; port < ports; port += 1) {
          const moves = from[port] !== edges && to[port] !== edges;
          const isNamed = named.some((message) => message.includes(hostport(port)));
          expect({ port, unserved: moves && !served.includes(hostport(port)) }).toEqual({
            port,
            unserved: moves && isNamed,
          });
        }
        account.run(account.plan(manifestsOf(to), permissive));
        expect(account.plan(manifestsOf(to), permissive).changes).toEqual([]);
      }),
      runs(60),
    );
  });
});
