import { describe, expect, it } from "vitest";
import { othersAccess } from "../../src/files/others-access.ts";

const me = 1000;

describe("what others can do to a file", () => {
  it.each([
    ["0600", 0o600, me, me, []],
    ["0644", 0o644, me, me, ["reads"]],
    ["0666", 0o666, me, me, ["everybodyWrites", "groupWrites", "reads"]],
    ["0440 of root, as Kubernetes mounts secrets for a group", 0o440, 0, me, []],
    ["0600 of a user, for root in a container", 0o600, me, 0, ["owns"]],
    ["0604 of another user", 0o604, 1001, me, ["reads", "owns"]],
  ] as const)("%s", (_, mode, owner, uid, expected) => {
    const access = othersAccess({ mode, uid: owner }, uid);
    expect(Object.entries(access).flatMap(([what, words]) => (words === null ? [] : [what]))).toEqual(expected);
  });
});
