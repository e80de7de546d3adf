// The programs that pages find: edgewise as it is built, and stand-ins for what can't be here.
import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { cli, root } from "../sandbox.mjs";

const node = JSON.stringify(process.execPath);
const script = (name) => JSON.stringify(join(root, "scripts", name));

const programs = {
  // With something typed, stdin counts as a terminal.
  node: `[ -z "$PAGE_TYPED" ] || export NODE_OPTIONS="--require=${join(root, "scripts", "pages", "typed-terminal.cjs")}"
exec ${node} "$@"`,
  // The port of serve's HTTP is a free one.
  edgewise: `case "$1 $*" in
*" --listen "*) ;;
"serve "*) set -- "$@" --listen "$PAGE_LISTEN" ;;
"sandbox "*) export EDGEWISE_API_KEY="\${EDGEWISE_API_KEY:-demo-key}" ;;
esac
exec node ${JSON.stringify(cli)} "$@"`,
  // No package is installed from a registry, and nothing runs that a test runs, too. But the script must exist.
  npm: `case "$1" in
ci) [ -f package-lock.json ] && { [ -d dist ] || cp -R "$REPOSITORY/dist" .; } ;;
run | test) [ "$1" = test ] || shift; ${node} -e 'process.exitCode = JSON.parse(fs.readFileSync("package.json")).scripts[process.argv[1]] ? 0 : 1' "$1" ;;
install) : ;;
*) exit 1 ;;
esac`,
  npx: 'while [ "$1" != -- ]; do shift; done; shift; exec "$@"',
  // One request, by hand: api METHOD PATH [JSON].
  api: `exec ${node} -e '
    const [method, path, body] = process.argv.slice(1);
    const headers = { authorization: "Bearer " + (process.env.EDGEWISE_API_KEY ?? "demo-key"), "service-version": "2" };
    if (body !== undefined) headers["content-type"] = "application/json";
    fetch(process.env.PAGE_SANDBOX + path, { method, headers, body }).then(async (response) => {
      process.stdout.write(await response.text());
      process.exitCode = response.ok ? 0 : 22;
    });' "$@"`,
  // The id of a resource by its address.
  "id-of": `edgewise list --owned -o json | ${node} -e 'for (const { address, id } of JSON.parse(fs.readFileSync(0)).resources) if (address === process.argv[1]) console.log(id)' "$1"`,
  terraform: `exec ${node} ${script("terraform-stub.mjs")} "$@"`,
  // A self-signed certificate whose dates are the same every day, and its key: NAME.pem and NAME.key.
  // What needs root, systemd, a cluster or another machine. They fail where a file that the command names is not there.
  install: `for word; do shift; case "$word" in
-g | -o) skip=1 ;;
*) [ -n "$skip" ] || set -- "$@" "$word"; skip= ;;
esac; done; PATH="\${PATH#*:}" exec install "$@"`,
  chgrp: '[ -e "$2" ]',
  chown: '[ "$1" != -R ] || shift; [ -e "$2" ]',
  editor: '[ -s "$1" ]',
  "systemd-sysusers": "[ -s ~/host/etc/sysusers.d/edgewise.conf ]",
  systemctl:
    '[ "$1" = daemon-reload ] || { [ "$1 $2" = "enable --now" ] && [ -s ~/host/etc/systemd/system/"$3".service ]; }',
  journalctl: ":",
  runuser: 'while [ "$1" != -- ]; do shift; done; shift; exec "$@"',
  "ssh-keyscan": 'echo "$1 ssh-ed25519 AAAA"',
  promtool: '[ "$1 $2" = "check rules" ] && [ -s "$3" ]',
  docker: `case "$1" in
push) ;;
build) while [ $# -gt 1 ]; do [ "$1" != -f ] || [ -s "$2" ] || exit 1; shift; done; [ -s "$1/edgewise.mjs" ] ;;
compose) [ -s compose.yaml ] ;;
*) exit 1 ;;
esac`,
  kubectl: `for word; do case "$word" in
--from-file=*) [ -e "\${word#--from-file=}" ] || exit 1 ;;
*.yaml) [ -s "$word" ] || exit 1 ;;
-) grep -q ^kind: || exit 1 ;;
esac; done`,
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
