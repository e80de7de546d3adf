import { spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { firstLine } from "../../support/first-line.ts";

it("passes notifications on in the form that Slack takes, and says when it can't", async () => {
  const got: unknown[] = [];
  const slack = createServer((request, response) => {
    let text = "";
    request.on("data", (piece: Buffer) => (text += piece.toString()));
    request.on("end", () => {
      got.push(JSON.parse(text));
      response.writeHead(got.length === 1 ? 200 : 429).end("ok");
    });
  });
  await new Promise<void>((resolve) => slack.listen(0, "127.0.0.1", resolve));
  const folder = mkdtempSync(join(tmpdir(), "edgewise-relay-"));
  const file = join(folder, "url");
  writeFileSync(file, `http://127.0.0.1:${(slack.address() as AddressInfo).port}/services/x\n`);
  const script = new URL("../../../examples/serve/slack-relay.mjs", import.meta.url).pathname;
  const relay = spawn(process.execPath, [script, "0"], { env: { ...process.env, SLACK_WEBHOOK_FILE: file } });
  onTestFinished(() => {
    relay.kill("SIGKILL");
    slack.close();
    rmSync(folder, { recursive: true });
  });
  const url = await firstLine(relay.stdout);
  const body = JSON.stringify({ event: "failed", text: "prod: failed: <b> & co" });
  const post = async (): Promise<number> => (await fetch(url, { method: "POST", body })).status;
  expect(await post()).toBe(204);
  expect(got).toEqual([{ text: "🔴 prod: failed: &lt;b&gt; &amp; co" }]);
  expect(await post()).toBe(502);
});
