// The programs that pages find: edgewise as it is built, and stand-ins for what can't be here.
import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { cli, root } from "../sandbox.mjs";

const node = JSON.stringify(process.execPath);
const script = (name) => JSON.stringify(join(root, "scripts", name));

/** Shell scripts by name. */
const programs = {
  // With something typed, stdin counts as a terminal. The port of serve's HTTP is a free one.
  edgewise: `case "$1 $*" in
*" --listen "*) ;;
"serve "*) set -- "$@" --listen "$PAGE_LISTEN" ;;
esac
[ -z "$PAGE_TYPED" ] || export NODE_OPTIONS="--require=${join(root, "scripts", "pages", "typed-terminal.cjs")}"
exec ${node} ${JSON.stringify(cli)} "$@"`,
  npx: 'exec "$@"',
  // No package is installed from a registry, and nothing runs that a test runs, too. But the script must exist.
  npm: `case "$1" in
ci) [ -f package-lock.json ] && cp -R "$REPOSITORY/dist" . 2> /dev/null || [ -d dist ] ;;
run | test) [ "$1" = test ] || shift; ${node} -e 'process.exitCode = JSON.parse(fs.readFileSync("package.json")).scripts[process.argv[1]] ? 0 : 1' "$1" ;;
install) : ;;
*) exit 1 ;;
esac`,
  terraform: `exec ${node} ${script("terraform-stub.mjs")} "$@"`,
  // A self-signed certificate whose dates are the same every day, and its key: NAME.pem and NAME.key.
  "make-certificate": `exec ${node} ${script("pages/make-certificate.mjs")} "$@"`,
};

/** @param {string} directory where the programs are written */
export function writePrograms(directory) {
  mkdirSync(directory);
  for (const [name, text] of Object.entries(programs)) {
    writeFileSync(join(directory, name), `#!/bin/sh\n${text}\n`);
    chmodSync(join(directory, name), 0o755);
  }
}
