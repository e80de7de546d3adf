// What pages about a command are made of: docs/commands and the man pages show the same.

/** The options of a command that its help shows, by the headings there. */
export function optionGroups(command) {
  const groups = new Map();
  for (const option of command.createHelp().visibleOptions(command)) {
    const heading = (option.helpGroupHeading ?? "Options:").replace(/:$/, "");
    groups.set(heading, [...(groups.get(heading) ?? []), option]);
  }
  return groups;
}

/** The text that a command's help adds below the options, by its headings: examples, exit codes, environment. */
export function addedSections(command) {
  let text = "";
  command.configureOutput({ writeOut: (part) => (text += part) });
  command.outputHelp();
  const sections = new Map();
  // Indented lines belong to the heading above them; what commander itself writes has other headings.
  for (const [, heading, body] of text.matchAll(/^(Environment|Exit codes|Examples):\n((?: {2}.*\n?|\n(?= {2}))+)/gm))
    sections.set(heading, body.replaceAll(/^ {2}/gm, "").trimEnd());
  return sections;
}
