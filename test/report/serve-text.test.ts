import { expect, it } from "vitest";
import { renderServeText } from "../../src/report/serve-text.ts";

const commit = "0123456789abcdef0123456789abcdef01234567";
const well = { reason: null, commit, impact: "none", ageSeconds: 5 };

it("shows a line for each stack of a fleet, and why it is not in sync, with nothing that acts on a terminal", () => {
  const text = renderServeText(
    [
      {
        name: "prod",
        state: "failed",
        reason: null,
        commit: null,
        impact: "none",
        message: "no\u001b[31m route",
        uncomparedSecrets: 0,
        ageSeconds: 5,
      },
      {
        name: "many/t1",
        state: "waiting",
        reason: "window",
        commit,
        impact: "routing",
        message: "opens at 07:00",
        uncomparedSecrets: 0,
        ageSeconds: 5,
      },
      { name: "odd", state: "synced", ...well, message: "1 secret can't be compared", uncomparedSecrets: 1 },
      { name: "test", state: "synced", ...well, message: "live matches Git", uncomparedSecrets: 0 },
    ],
    { color: false },
  );
  expect(text).toBe(`STACK    STATE             COMMIT        IMPACT
prod     failed            -             none
  no\\u001b[31m route
many/t1  waiting (window)  0123456789ab  routing
  opens at 07:00
odd      synced            0123456789ab  none
  1 secret can't be compared
test     synced            0123456789ab  none

4 stacks: 1 failed, 1 waiting, 2 synced
`);
});
