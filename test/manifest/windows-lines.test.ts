import { expect, it } from "vitest";
import { load, places } from "./support/load-text.ts";

const text = `# 😀 who to ask
apiVersion: edgewise/v1
kind: TLSEdge
metadata:
  "name": api
  labels: { team: 😀😀, 'tier': 7 } # 😀
spec:
  description: >-
    Public 😀 API

      of Europe
  "hostports": ["😀.example:443", "a.example"]
  metadata: { "😀": x, owner: [] }
  nothing: |+
    a

---
"apiVersion": edgewise/v1
kind: TLSEdge
metadata: { name: other }
spec:
  hostports: ["b.example:443"]
  '😀': 1
`;

it("problems have the same lines, columns and excerpts with either kind of line breaks", async () => {
  const unix = await load({ "edge/a.yaml": text });
  expect(places(unix)).toEqual([
    "edge/a.yaml:6:33 wrong-type",
    "edge/a.yaml:12:17 hostport-syntax",
    "edge/a.yaml:12:35 hostport-syntax",
    "edge/a.yaml:14:3 unknown-member",
    "edge/a.yaml:23:3 unknown-member",
  ]);
  const all = await load({ "edge/a.yaml": text.replaceAll("\n", "\r\n") });
  expect(all.diagnostics).toEqual(unix.diagnostics);
  let line = 0;
  const some = await load({ "edge/a.yaml": text.replaceAll("\n", () => (line++ % 3 === 0 ? "\r\n" : "\n")) });
  expect(some.diagnostics).toEqual(unix.diagnostics);
});

it("manifests are the same with either kind of line breaks", async () => {
  const valid = text.replaceAll(/^.*(?:labels|nothing|metadata: \{ "😀"|'😀').*\n/gmu, "").replace("    a\n\n", "");
  const good = valid.replace(/^ {2}"hostports".*$/mu, '  "hostports": ["a.example:443"]');
  const unix = await load({ "edge/a.yaml": good });
  expect(unix.diagnostics).toEqual([]);
  expect(unix.manifests.map(({ spec }) => spec["description"])).toEqual(["Public 😀 API\n\n  of Europe", undefined]);
  const other = await load({ "edge/a.yaml": good.replaceAll("\n", "\r\n") });
  expect(JSON.stringify(other)).toBe(JSON.stringify(unix));
});
