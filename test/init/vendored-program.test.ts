import { createHash } from "node:crypto";
import { describe, expect, it } from "vitest";
import { isOlder, vendoredFiles, versionOfProgram } from "../../src/init/vendored-program.ts";

describe("the program in a repository", () => {
  it("comes with a checksum that sha256sum understands, and its licences", () => {
    const [program, checksum, licenses] = vendoredFiles({ text: "#!/usr/bin/env node\n…", licenses: "MIT" });
    expect(program).toEqual({ path: ".edgewise/edgewise.mjs", text: "#!/usr/bin/env node\n…" });
    const sum = createHash("sha256").update("#!/usr/bin/env node\n…").digest("hex");
    expect(checksum).toEqual({ path: ".edgewise/edgewise.mjs.sha256", text: `${sum}  edgewise.mjs\n` });
    expect(licenses).toEqual({ path: ".edgewise/edgewise.mjs.LICENSES.txt", text: "MIT" });
  });

  it.each([
    ["#!/usr/bin/env node\n// edgewise 1.2.3\ncode", "1.2.3"],
    ["#!/usr/bin/env node\r\n// edgewise 1.2.3-rc.1\r\ncode", "1.2.3-rc.1"],
    ["#!/usr/bin/env node\n// edgewise 1.2.3 and more\n", null],
    ["// edgewise 1.2.3\n", null],
    ["", null],
  ])("says its version in its second line: %j", (text, version) => {
    expect(versionOfProgram(text)).toBe(version);
  });

  it.each([
    ["0.1.0", "0.1.1"],
    ["0.9.0", "0.10.0"],
    ["1.9.9", "2.0.0"],
    ["1.0.0-rc.1", "1.0.0"],
    ["1.0.0-rc.2", "1.0.0-rc.10"],
  ])("%s is older than %s", (older, newer) => {
    expect(isOlder(older, newer)).toBe(true);
    expect(isOlder(newer, older)).toBe(false);
    expect(isOlder(older, older)).toBe(false);
  });
});
