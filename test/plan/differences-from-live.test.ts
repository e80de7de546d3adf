import { describe, expect, it } from "vitest";
import { listedKinds } from "../../src/kinds/names.ts";
import type { Live } from "../../src/live/live.ts";
import { CompareAhead } from "../../src/plan/compare-ahead.ts";
import { differencesFromLive } from "../../src/plan/differences-from-live.ts";
import { Account, defaults } from "./support/account.ts";
import { address, backend, edge } from "./support/manifests.ts";

describe("what a stack owns", () => {
  it("comes in one order, whatever the order of resources and pages", () => {
    const account = new Account();
    account.apply([backend("a"), backend("b"), address("c"), edge("d"), edge("e")]);
    const { lists } = account.live();
    const turned = Object.fromEntries(listedKinds.map((kind) => [kind, lists[kind].toReversed()]));
    const live: Live = { lists: { ...lists, ...turned }, unreadable: [], modules: [] };
    const ahead = new CompareAhead(defaults);
    for (const kind of listedKinds.toReversed()) Array.from(ahead.takePage(kind, live.lists[kind]));
    const { owned } = differencesFromLive([], account.live(), defaults);
    expect(owned.map(({ kind, name }) => `${kind}/${name}`).toSorted()).toEqual([
      "HTTPResponseBackend/a",
      "HTTPResponseBackend/b",
      "ReservedAddress/c",
      "TLSEdge/d",
      "TLSEdge/e",
    ]);
    expect(differencesFromLive([], live, defaults).owned).toEqual(owned);
    expect(differencesFromLive([], live, defaults, ahead.forms).owned).toEqual(owned);
  });
});
