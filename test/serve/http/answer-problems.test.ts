import { expect, it } from "vitest";
import { EdgewiseError } from "../../../src/errors.ts";
import { answerProblems } from "../../../src/serve/http/answer-problems.ts";
import type { ServeEvent } from "../../../src/serve/serve-events.ts";
import { fakeFleet, startFake } from "./fake-view.ts";

it("tells what the operator can put right, and bugs as bugs, each once a minute however often somebody asks", () => {
  const events: ServeEvent[] = [];
  let now = 0;
  const tell = answerProblems({
    now: () => now,
    emit: (event) => events.push(event),
    mask: (text) => text.replaceAll("hunter2", "(secret)"),
  });
  const missing = new EdgewiseError("config", "the token hunter2 can't be read", { remedy: "Check the path." });
  for (let times = 0; times < 100; times += 1) tell(missing);
  tell(new TypeError("x is not a function"));
  const told = [
    { event: "answer-failed", message: "the token (secret) can't be read. Check the path." },
    { event: "bug", subject: "an answer over HTTP", message: "x is not a function" },
  ];
  expect(events).toEqual(told);
  now = 60_000;
  tell(missing);
  expect(events).toEqual([...told, told[0]]);
});

it("says in plain words why it can't listen, and what to change", async () => {
  const { url } = await startFake(fakeFleet());
  const listen = { host: "127.0.0.1", port: Number(new URL(url).port) };
  await expect(startFake(fakeFleet(), { listen })).rejects.toMatchObject({
    code: "io",
    message: `can't listen on 127.0.0.1 port ${listen.port}: another program listens there`,
    remedy: "Give http.listen of the fleet file, or --listen, another address or port.",
  });
});
