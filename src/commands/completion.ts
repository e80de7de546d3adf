import { Argument, type Command } from "commander";
import type { CommandIo } from "./support/command-io.js";
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
  command.action(
    run(async (io: CommandIo, shell: string) => {
      const offered = offeredCommands(command.parent ?? command);
      if (shell === "zsh") io.stdout("# edgewise completion for zsh\nautoload -U +X bashcompinit && bashcompinit\n");
      io.stdout(shell === "fish" ? fishScript(offered) : bashScript(offered));
      return 0;
    }),
  );
};

function offeredCommands(program: Command): readonly OfferedCommand[] {
  const help = { name: "--help", short: "-h", description: "show help", takesValue: false, choices: [] };
  const names = program.commands.map((command) => ({ name: command.name(), description: command.summary() }));
  const commands = program.commands.map((command) => ({
    name: command.name(),
    flags: [...offeredFlags(command), help],
    words: command.registeredArguments.flatMap(({ argChoices = [] }) =>
      argChoices.map((name) => ({ name, description: "" })),
    ),
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

function namesOf(offered: readonly Described[]): string {
  return offered.map(({ name }) => name).join(" ");
}

/** For bash 3.2 and later, and for zsh with its `bashcompinit`. */
function bashScript(commands: readonly OfferedCommand[]): string {
  const values = commands.flatMap(({ flags, name }) =>
    flags
      .filter(({ takesValue }) => takesValue)
      .map(({ choices, name: long, short }) => {
        const patterns = [short, long].flatMap((each) => (each === null ? [] : [`"${name} ${each}"`]));
        return `    ${patterns.join(" | ")}) offered="${choices.join(" ")}" ;;\n`;
      }),
  );
  const words = commands.map(({ flags, name, words: own }) => {
    const ofFlags = `        "${name} -"*) offered="${namesOf(flags)}" ;;\n`;
    return own.length === 0 ? ofFlags : `${ofFlags}        "${name} "*) offered="${namesOf(own)}" ;;\n`;
  });
  return `# edgewise completion for bash: source <(edgewise completion bash)
_edgewise() {
  local IFS=$' \\t\\n' command="" offered="" prefix=""
  local current="\${COMP_WORDS[COMP_CWORD]}" previous="\${COMP_WORDS[COMP_CWORD-1]}"
  # bash takes the = of --output=json for a word, zsh does not.
  case "$current" in
    =) current="" ;;
    --*=*) previous="\${current%%=*}"; prefix="$previous="; current="\${current#*=}" ;;
  esac
  [ "$previous" = "=" ] && previous="\${COMP_WORDS[COMP_CWORD-2]}"
  [ "$COMP_CWORD" -gt 1 ] && command="\${COMP_WORDS[1]}"
  case "$command $previous" in
${values.join("")}    *)
      case "$command $current" in
${words.join("")}      esac
      ;;
  esac
  COMPREPLY=($(compgen -P "$prefix" -W "$offered" -- "$current"))
}
complete -o default -F _edgewise edgewise
`;
}

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
