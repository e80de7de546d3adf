import { Argument, type Command } from "commander";
import type { GuardedIo } from "./support/io.js";
import { addExamples, type DefineCommand } from "./support/command-options.js";

/** What is offered after the name of a command; "" = in place of one. */
interface OfferedCommand {
  readonly name: string;
  readonly flags: readonly OfferedFlag[];
  /** What its arguments may be; empty = files. */
  readonly words: readonly Described[];
}

interface OfferedFlag extends Described {
  /** `-o`; null = it has no short form. */
  readonly short: string | null;
  readonly takesValue: boolean;
  /** What its value may be; empty = anything, so files are offered. */
  readonly choices: readonly string[];
}

interface Described {
  readonly name: string;
  readonly description: string;
}

export const define: DefineCommand = (command, run) => {
  command.addArgument(new Argument("<shell>", "the shell that you use").choices(["bash", "zsh", "fish"]));
  command.description(
    "Prints a script that completes commands, flags and formats. It holds everything that it offers: it runs nothing and contacts nothing.",
  );
  addExamples(command, [
    ["source <(edgewise completion bash)", "in ~/.bashrc"],
    ["source <(edgewise completion zsh)", "in ~/.zshrc, after compinit"],
    ["edgewise completion fish > ~/.config/fish/completions/edgewise.fish", "for fish"],
  ]);
  command.action((shell: string) => run({}, async (io) => completionCommand(shell, command.parent ?? command, io)));
};

/** `completion SHELL`: prints a script that holds every command, flag and choice. It never runs the program. */
export async function completionCommand(shell: string, program: Command, io: GuardedIo): Promise<number> {
  const script = shell === "fish" ? fishScript : shell === "zsh" ? zshScript : bashScript;
  io.stdout(script(offeredCommands(program)));
  return 0;
}

function offeredCommands(program: Command): readonly OfferedCommand[] {
  const help = { name: "--help", short: "-h", description: "show help", takesValue: false, choices: [] };
  const names = program.commands.map((command) => ({ name: command.name(), description: command.summary() }));
  const commands = program.commands.map((command) => ({
    name: command.name(),
    flags: [...offeredFlags(command), help],
    words: command.registeredArguments.flatMap(({ argChoices = [] }) => argChoices.map(plain)),
  }));
  return [
    {
      name: "",
      flags: [...offeredFlags(program), help],
      words: [...names, { name: "help", description: "show help for a command" }],
    },
    ...commands,
    { name: "help", flags: [], words: names },
  ];
}

function offeredFlags(command: Command): readonly OfferedFlag[] {
  return command.options
    .filter(({ hidden }) => !hidden)
    .map((option) => ({
      name: option.long ?? option.flags,
      short: option.short ?? null,
      description: option.description,
      takesValue: option.required || option.optional,
      choices: option.argChoices ?? [],
    }));
}

function plain(name: string): Described {
  return { name, description: "" };
}

function namesOf(offered: readonly Described[]): string {
  return offered.map(({ name }) => name).join(" ");
}

/** The patterns of a `case` that match a command and a flag of it that stands before its value. */
function valuePatterns(commands: readonly OfferedCommand[], fill: (flag: OfferedFlag) => string): string {
  return commands
    .flatMap(({ flags, name }) =>
      flags
        .filter(({ takesValue }) => takesValue)
        .map((flag) => {
          const patterns = [flag.short, flag.name].flatMap((each) => (each === null ? [] : [`"${name} ${each}"`]));
          return `    ${patterns.join(" | ")}) ${fill(flag)} ;;\n`;
        }),
    )
    .join("");
}

/** For bash 3.2 and later. */
function bashScript(commands: readonly OfferedCommand[]): string {
  const words = commands.map(({ flags, name, words: own }) => {
    const ofFlags = `        "${name} -"*) offered="${namesOf(flags)}" ;;\n`;
    return own.length === 0 ? ofFlags : `${ofFlags}        "${name} "*) offered="${namesOf(own)}" ;;\n`;
  });
  return `# edgewise completion for bash: source <(edgewise completion bash)
_edgewise() {
  local IFS=$' \\t\\n' command="" offered=""
  local current="\${COMP_WORDS[COMP_CWORD]}" previous="\${COMP_WORDS[COMP_CWORD-1]}"
  # bash takes the = of --output=json for a word.
  if [ "$current" = "=" ]; then current=""
  elif [ "$previous" = "=" ]; then previous="\${COMP_WORDS[COMP_CWORD-2]}"
  fi
  [ "$COMP_CWORD" -gt 1 ] && command="\${COMP_WORDS[1]}"
  case "$command $previous" in
${valuePatterns(commands, ({ choices }) => `offered="${choices.join(" ")}"`)}    *)
      case "$command $current" in
${words.join("")}      esac
      ;;
  esac
  COMPREPLY=($(compgen -W "$offered" -- "$current"))
}
complete -o default -F _edgewise edgewise
`;
}

/** For zsh 5 and later. */
function zshScript(commands: readonly OfferedCommand[]): string {
  const list = (offered: readonly Described[]): string =>
    offered.map(({ description, name }) => quoted(description === "" ? name : `${name}:${description}`)).join(" ");
  const words = commands.map(({ flags, name, words: own }) => {
    const ofFlags = `        "${name} -"*) offered=(${list(flags)}) ;;\n`;
    return own.length === 0 ? ofFlags : `${ofFlags}        "${name} "*) offered=(${list(own)}) ;;\n`;
  });
  return `#compdef edgewise
# edgewise completion for zsh: source <(edgewise completion zsh), below compinit
_edgewise() {
  local command="" previous=$words[CURRENT-1]
  local -a offered
  (( CURRENT > 2 )) && command=$words[2]
  if [[ $PREFIX = --*=* ]]; then previous=\${PREFIX%%=*}; compset -P 1 '*='; fi
  case "$command $previous" in
${valuePatterns(commands, ({ choices }) => `offered=(${choices.join(" ")})`)}    *)
      case "$command $PREFIX" in
${words.join("")}      esac
      ;;
  esac
  if (( $#offered )); then _describe value offered; else _files; fi
}
if [ "$funcstack[1]" = "_edgewise" ]; then _edgewise "$@"; else compdef _edgewise edgewise; fi
`;

  function quoted(text: string): string {
    return `'${text.replaceAll("'", "'\\''")}'`;
  }
}

/** For fish 3 and later. */
function fishScript(commands: readonly OfferedCommand[]): string {
  const quoted = (text: string): string => `'${text.replaceAll("\\", "\\\\").replaceAll("'", "\\'")}'`;
  const lines = commands.flatMap(({ flags, name, words }) => {
    const line = (what: string, description: string): string =>
      `complete -c edgewise -n '__edgewise_after "${name}"' ${what}${description === "" ? "" : ` -d ${quoted(description)}`}`;
    return [
      ...words.map((word) => line(`-f -a ${word.name}`, word.description)),
      ...flags.map(({ choices, description, name: long, short, takesValue }) => {
        const names = `-l ${long.slice(2)}${short === null ? "" : ` -s ${short.slice(1)}`}`;
        const value = choices.length > 0 ? ` -x -a ${quoted(choices.join(" "))}` : takesValue ? " -r" : "";
        return line(`${names}${value}`, description);
      }),
    ];
  });
  return `# edgewise completion for fish: edgewise completion fish > ~/.config/fish/completions/edgewise.fish
function __edgewise_after
    set -l words (commandline -opc)
    test "$words[2]" = "$argv[1]"
end
complete -c edgewise -e
${lines.join("\n")}
`;
}
