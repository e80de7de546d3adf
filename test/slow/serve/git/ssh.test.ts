import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type GitWorld, git, gitWorld, never } from "../../../serve/git/support/git-world.ts";

let world: GitWorld;
beforeEach(() => {
  world = gitWorld();
  git(world.top, "clone", "-q", "--bare", world.repository("one"), "edge.git");
});
afterEach(() => world.end());

function ssh(command = 'eval "$last"') {
  const log = join(world.top, "ssh.log");
  const script = `#!/bin/sh\necho "$@" >> ${log}\nenv >> ${log}\nfor last; do :; done\n${command}\n`;
  writeFileSync(join(world.top, "ssh"), script, { mode: 0o755 });
  return { PATH: `${world.top}:${process.env["PATH"]}`, log: () => readFileSync(log, "utf8") };
}
const reader = (env: { readonly [name: string]: string }) => world.reader({ host: { env } });
const environment = {
  HOME: "/home/serve",
  SSH_AUTH_SOCK: "/run/agent",
  EDGEWISE_API_KEY: "k3y",
  GIT_SSH: "/bin/false",
};

describe("a source behind ssh", () => {
  it.each([(path: string) => `git@example.com:${path}`, (path: string) => `ssh://git@example.com:2222${path}`])(
    "is fetched with the machine's own identity, without a question",
    async (address) => {
      const { PATH, log } = ssh();
      const source = world.source(address(join(world.top, "edge.git")));
      const record = await reader({ ...environment, PATH }).fetch(source, null, never);
      expect(record.problem).toBeNull();
      expect(log()).toContain("BatchMode=yes");
      expect(log()).toContain("git@example.com");
      expect(log()).toContain("HOME=/home/serve");
      expect(log()).toContain("SSH_AUTH_SOCK=/run/agent");
      expect(log()).not.toContain("EDGEWISE");
      expect(log()).not.toContain("k3y");
    },
  );
});
