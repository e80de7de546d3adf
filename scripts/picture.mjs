#!/usr/bin/env node
// Generates docs/images/plan.png, the picture of the HTML report in the README, with Debian's Chromium.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { root } from "./sandbox.mjs";
import { openSession } from "./session.mjs";
import { takePicture } from "./take-picture.mjs";

const session = await openSession();
const directory = mkdtempSync(join(tmpdir(), "edgewise-picture-"));
try {
  const applied = session.run("apply", "--auto-approve");
  if (applied.code !== 0) throw new Error(applied.output);
  // One of each: an update, a replacement, a delete and a create.
  session.edit("edge/api.yaml", 'min_version: "1.2"', 'min_version: "1.1"');
  session.edit("edge/office-only.yaml", "kind: IPRestriction", "kind: HTTPResponseBackend");
  session.edit(
    "edge/office-only.yaml",
    /spec:[\s\S]*/u.exec(session.read("edge/office-only.yaml"))[0],
    "spec:\n  status_code: 410\n",
  );
  session.edit("edge/tcp-eu.yaml", "region: eu", "region: us");
  const page = join(directory, "plan.html");
  const planned = session.run("plan", "--allow", "ReservedAddress/tcp-eu", "-o", "html", "--output-file", page);
  if (planned.code !== 0) throw new Error(planned.output);
  const picture = join(root, "docs", "images", "plan.png");
  takePicture(pathToFileURL(page).href, picture, "1080,1240");
  console.log("docs/images/plan.png");
} finally {
  session.close();
  rmSync(directory, { recursive: true, force: true });
}
