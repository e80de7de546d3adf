/** Names of what this program has open or of no file at all: they lead nowhere else, whatever the links look like. */
const openFileNames = /^\/(?:dev\/(?:stdin|stdout|stderr|null|tty|fd\/\d+)|proc\/self\/fd\/\d+)$/;

/** Whether a path names an open file of this program, or a terminal or device that everybody has. */
export function isOpenFile(path: string): boolean {
  return openFileNames.test(path);
}

/** The standard stream that a path names, or null. */
export function standardStream(path: string): "stdout" | "stderr" | null {
  if (/^\/dev\/stdout$|\/fd\/1$/.test(path) && isOpenFile(path)) return "stdout";
  if (/^\/dev\/stderr$|\/fd\/2$/.test(path) && isOpenFile(path)) return "stderr";
  return null;
}
