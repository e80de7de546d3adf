import type { DescribedCommand, DescribedOption } from "./describe-program.js";

/** The completion script for fish. */
export function fishScript(commands: readonly DescribedCommand[]): string {
  const lines = [
    "# edgewise completion for fish: edgewise completion fish > ~/.config/fish/completions/edgewise.fish",
    ...commands.map(
      ({ name, summary }) => `complete -c edgewise -n __fish_use_subcommand -f -a ${name} -d ${fishQuoted(summary)}`,
    ),
    ...commands.flatMap(({ name, options, argumentChoices }) => [
      ...options.map((option) => fishOptionLine(name, option)),
      ...(argumentChoices.length === 0
        ? []
        : [
            `complete -c edgewise -n '__fish_seen_subcommand_from ${name}' -f -a ${fishQuoted(argumentChoices.join(" "))}`,
          ]),
    ]),
  ];
  return `${lines.join("\n")}\n`;
}

function fishOptionLine(
  command: string,
  { long, short, description, takesValue, choices, file }: DescribedOption,
): string {
  const parts = [
    `complete -c edgewise -n '__fish_seen_subcommand_from ${command}'`,
    `-l ${long.replace(/^--/u, "")}`,
    ...(short === null ? [] : [`-s ${short.slice(1)}`]),
    ...(takesValue ? [file ? "-r -F" : "-x"] : []),
    ...(choices.length === 0 ? [] : [`-a ${fishQuoted(choices.join(" "))}`]),
    `-d ${fishQuoted(description)}`,
  ];
  return parts.join(" ");
}

function fishQuoted(text: string): string {
  return `'${text.replaceAll("\\", "\\\\").replaceAll("'", "\\'")}'`;
}
