import { describe, expect, it } from "vitest";
import { othersAccess, secretFileAccess } from "../../src/files/others-access.ts";

const me = 1000;

describe("what others can do to a file", () => {
  it.each([
    ["0600", 0o600, me, me, []],
    ["0644", 0o644, me, me, ["reads"]],
    ["0640", 0o640, me, me, ["reads"]],
    ["0664, the default where every user has a group", 0o664, me, me, ["groupWrites", "reads"]],
    ["0666", 0o666, me, me, ["everybodyWrites", "groupWrites", "reads"]],
    ["0602", 0o602, me, me, ["everybodyWrites"]],
    ["0440 of root, as Kubernetes mounts secrets for a group", 0o440, 0, me, []],
    ["0444 of root", 0o444, 0, me, ["reads"]],
    ["0640 of root, for root", 0o640, 0, 0, ["reads"]],
    ["0600 of a user, for root in a container", 0o600, me, 0, ["owns"]],
    ["0604 of another user", 0o604, 1001, me, ["reads", "owns"]],
    ["a kind of file and a sticky bit besides", 0o101600, me, me, []],
  ] as const)("%s", (_, mode, owner, uid, expected) => {
    const access = othersAccess({ mode, uid: owner }, uid);
    expect(Object.entries(access).flatMap(([what, words]) => (words === null ? [] : [what]))).toEqual(expected);
  });

  it("is not known where files have no owners", () => {
    expect(secretFileAccess({ mode: 0o666, uid: 0 }, null)).toMatchObject({ error: null, warning: null });
  });

  it("is said in words", () => {
    expect(othersAccess({ mode: 0o100666, uid: 1001 }, me)).toEqual({
      everybodyWrites: "can be written by every user of this computer (mode 0666)",
      groupWrites: "can be written by every member of its group (mode 0666)",
      reads: "can be read by every user of this computer (mode 0666)",
      owns: "belongs to another user (uid 1001)",
    });
    expect(secretFileAccess({ mode: 0o100644, uid: 1001 }, me)).toEqual({
      error: null,
      warning: "belongs to another user (uid 1001) and can be read by every user of this computer (mode 0644)",
      remedy: "`chown` makes it yours, `chmod 600` closes it",
    });
    expect(secretFileAccess({ mode: 0o100600, uid: 1001 }, me).remedy).toBe("`chown` makes it yours");
    expect(secretFileAccess({ mode: 0o100644, uid: me }, me).remedy).toBe("`chmod 600` closes it");
  });
});
