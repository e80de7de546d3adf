import { expect, it } from "vitest";
import { UnreadLists } from "./support/unread-lists.ts";

const [edges, backends] = ["/edges/tls", "/backends/http_response"];

it("a list that fails in a look is unread until it can be read", () => {
  const lists = new UnreadLists();
  lists.asked(backends, null);
  lists.asked(edges, "refuses");
  expect(lists.first).toBe(edges);
  lists.asked(edges, null);
  expect(lists.first).toBeNull();
});

it("a search for what a lost request made is no look: others go on by what they read", () => {
  const lists = new UnreadLists();
  lists.doubted(edges);
  lists.asked(edges, "refuses");
  expect(lists.first).toBeNull();
  // The next look asks for all lists.
  lists.asked(backends, null);
  lists.asked(edges, "refuses");
  expect(lists.first).toBe(edges);
});
