import type { Command } from "commander";
import type { GuardedIo } from "./support/io.js";

/** `completion SHELL`: prints a script made from the program itself, so that it knows every command, flag and value. */
export async function completionCommand(shell: string, program: Command, io: GuardedIo): Promise<number> {
  const described = describeProgram(program);
  const script =
    shell === "fish" ? fishScript(described) : shell === "zsh" ? zshScript(described) : bashScript(described);
  io.stdout(script);
  return 0;
}

/** A flag as a completion script needs it. */
export interface DescribedOption {
  /** Like `--output`. */
  readonly long: string;
  /** Like `-o`; null when there is none. */
  readonly short: string | null;
  readonly description: string;
  readonly takesValue: boolean;
  /** The possible values; empty = anything. */
  readonly choices: readonly string[];
  /** Whether its value is the name of a file or directory. */
  readonly file: boolean;
  readonly repeatable: boolean;
}

export interface DescribedCommand {
  readonly name: string;
  readonly summary: string;
  readonly options: readonly DescribedOption[];
  /** Values of its arguments; empty = anything. */
  readonly argumentChoices: readonly string[];
}

/** The program's commands and flags as data. */
export function describeProgram(program: Command): readonly DescribedCommand[] {
  return program.commands.map((command) => ({
    name: command.name(),
    summary: command.summary(),
    argumentChoices: command.registeredArguments.flatMap((argument) => argument.argChoices ?? []),
    options: command.options.map((option) => ({
      long: option.long ?? option.flags,
      short: option.short ?? null,
      description: option.description,
      takesValue: option.required || option.optional,
      choices: option.argChoices ?? [],
      file: /<(file|dir|path)>/u.test(option.flags),
      repeatable: option.description.includes("(repeatable)"),
    })),
  }));
}

/** The completion script for bash 3.2 and later. */
export function bashScript(commands: readonly DescribedCommand[]): string {
  const names = commands.map(({ name }) => name).join(" ");
  return `# edgewise completion for bash: source <(edgewise completion bash)
_edgewise() {
  local current previous command word
  COMPREPLY=()
  current="\${COMP_WORDS[COMP_CWORD]}"
  previous="\${COMP_WORDS[COMP_CWORD-1]}"
  command=""
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    case "$word" in
      ${commands.map(({ name }) => name).join("|")}) command="$word"; break ;;
    esac
  done
  if [ -z "$command" ]; then
    COMPREPLY=($(compgen -W "${names} help --help --version" -- "$current"))
    return
  fi
  case "$command $previous" in
${commands.flatMap(bashValueCases).join("\n")}
  esac
  local options="" values=""
  case "$command" in
${commands.map(bashOptionCase).join("\n")}
  esac
  if [[ "$current" == -* ]]; then
    COMPREPLY=($(compgen -W "$options" -- "$current"))
  elif [ -n "$values" ]; then
    COMPREPLY=($(compgen -W "$values" -- "$current"))
  else
    COMPREPLY=($(compgen -f -- "$current"))
  fi
}
complete -o filenames -F _edgewise edgewise
`;
}

function bashValueCases({ name, options }: DescribedCommand): readonly string[] {
  return options.flatMap(({ long, short, takesValue, choices, file }) => {
    if (!takesValue) return [];
    const pattern = [long, short].flatMap((flag) => (flag === null ? [] : [`"${name} ${flag}"`])).join("|");
    const reply = file ? "compgen -f" : `compgen -W "${choices.join(" ")}"`;
    return [`    ${pattern}) COMPREPLY=($(${reply} -- "$current")); return ;;`];
  });
}

function bashOptionCase({ name, options, argumentChoices }: DescribedCommand): string {
  const flags = [...options.flatMap(({ long, short }) => (short === null ? [long] : [long, short])), "--help"];
  return `    ${name}) options="${flags.join(" ")}"; values="${argumentChoices.join(" ")}" ;;`;
}

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

/** The completion script for zsh. */
export function zshScript(commands: readonly DescribedCommand[]): string {
  return `#compdef edgewise
# edgewise completion for zsh: source <(edgewise completion zsh), or save it as _edgewise on the fpath
_edgewise() {
  local -a commands
  commands=(
${commands.map(({ name, summary }) => `    ${zshQuoted(`${name}:${summary}`)}`).join("\n")}
    'help:show help for a command'
  )
  if (( CURRENT == 2 )); then
    _describe 'command' commands
    return
  fi
  local command=$words[2]
  shift words
  (( CURRENT-- ))
  case $command in
${commands.map(zshCommandCase).join("\n")}
  esac
}
if [ "$funcstack[1]" = "_edgewise" ]; then
  _edgewise "$@"
else
  compdef _edgewise edgewise
fi
`;
}

function zshCommandCase({ name, options, argumentChoices }: DescribedCommand): string {
  const rest = argumentChoices.length > 0 ? `'*:value:(${argumentChoices.join(" ")})'` : "'*:file:_files'";
  const lines = [...options.flatMap(zshSpecs), rest];
  return `    ${name})\n      _arguments \\\n        ${lines.join(" \\\n        ")}\n      ;;`;
}

function zshSpecs(option: DescribedOption): readonly string[] {
  const { long, short, description, takesValue, choices, file, repeatable } = option;
  const words = description.replaceAll(/[[\]:]/gu, "");
  const values = choices.length > 0 ? `(${choices.join(" ")})` : file ? "_files" : "";
  const value = takesValue ? `:value:${values}` : "";
  const star = repeatable ? "*" : "";
  return [long, short].flatMap((flag) => (flag === null ? [] : [zshQuoted(`${star}${flag}[${words}]${value}`)]));
}

function zshQuoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
