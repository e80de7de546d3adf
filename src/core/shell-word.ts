/** A word as it can be pasted into a shell: names of branches and directories may hold `$(…)`. */
export function shellWord(text: string): string {
  return /^[\w./~@%+=:,-]+$/u.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}
