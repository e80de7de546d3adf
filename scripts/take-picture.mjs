// A picture of a page, with Debian's Chromium.
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

/** Draws the page at a URL, `size` pixels (`1080,1240`) of it, into a PNG file. */
export function takePicture(url, file, size) {
  const profile = mkdtempSync(join(tmpdir(), "edgewise-picture-"));
  mkdirSync(dirname(file), { recursive: true });
  try {
    const { status, stderr } = spawnSync(
      "chromium",
      [
        "--headless",
        "--no-sandbox",
        "--disable-gpu",
        "--disable-quic",
        "--no-first-run",
        "--disable-background-networking",
        "--disable-component-update",
        "--disable-sync",
        "--hide-scrollbars",
        `--user-data-dir=${profile}`,
        `--window-size=${size}`,
        `--screenshot=${file}`,
        url,
      ],
      { encoding: "utf8", timeout: 60_000 },
    );
    if (status !== 0) throw new Error(`chromium ended with ${status}: ${stderr}`);
  } finally {
    rmSync(profile, { recursive: true, force: true });
  }
}
