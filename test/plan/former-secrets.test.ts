import { expect, it } from "vitest";
import { NormalForms } from "../../src/kinds/normal-form.ts";
import { formerSecrets } from "../../src/plan/former-secrets.ts";
import { Secret } from "../../src/secret.ts";
import { Account, defaults } from "./support/account.ts";
import { route } from "./support/manifests.ts";

it("a secret field that came in clear is a secret to be masked, one that is wrapped is known already", () => {
  const manifests = [route("r", { webhook_verification: { provider: "GITHUB" } })];
  const live = (secret: string | Secret) => ({
    ...new Account().live(),
    modules: [
      {
        kind: "HTTPSEdgeRoute" as const,
        id: "edghtr_1",
        modules: { webhook_verification: { enabled: true, provider: "GITHUB", secret } },
      },
    ],
  });
  const found = (secret: string | Secret) => formerSecrets(manifests, live(secret), defaults, new NormalForms());
  expect(found("SERVERSIDE")).toEqual(["SERVERSIDE"]);
  expect(found("")).toEqual([]);
  expect(found(Secret.of("SERVERSIDE", "live"))).toEqual([]);
});
