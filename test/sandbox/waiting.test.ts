import { expect, it } from "vitest";
import { sandboxFor, send } from "./support.ts";

it("many requests that wait at a time are no reason for a warning", async () => {
  const warnings: string[] = [];
  // Others may come from what other files of this process have left.
  const listen = ({ name }: Error): void => {
    if (name === "MaxListenersExceededWarning") warnings.push(name);
  };
  process.on("warning", listen);
  try {
    const sandbox = await sandboxFor({ latencyMs: 1000 });
    const answers = await Promise.all(Array.from({ length: 30 }, () => send(sandbox, "GET", "/edges/tls")));
    expect(answers.map(({ status }) => status)).toEqual(Array(30).fill(200));
    expect(warnings).toEqual([]);
  } finally {
    process.off("warning", listen);
  }
});
