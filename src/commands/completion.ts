import { Argument, type Command, Option } from "commander";
import type { CommandIo } from "./support/command-io.js";
import { type DefineCommand } from "./support/command-options.js";

type Offered = Readonly<{
  name: string;
  flags: readonly Option[];
  words: readonly (readonly [word: string, description: string])[];
}>;

export const define: DefineCommand = (command, run) =>
  command
    .addArgument(new Argument("<shell>", "the shell that you use").choices(["bash", "zsh", "fish"]))
    .description("Completes commands, flags and formats, and runs nothing itself.")
    .examples([
      ["source <(edgewise completion bash)", "in ~/.bashrc"],
      ["source <(edgewise completion zsh)", "in ~/.zshrc, after compinit"],
      ["edgewise completion fish > ~/.config/fish/completions/edgewise.fish", "for fish"],
    ])
    .action(
      run(async (io: CommandIo, shell: string) => {
        const offered = offeredIn(command.parent ?? command);
        if (shell === "zsh") io.stdout("# edgewise completion for zsh\nautoload -U +X bashcompinit && bashcompinit\n");
        io.stdout(shell === "fish" ? fishScript(offered) : bashScript(offered));
        return 0;
      }),
    );

function offeredIn(program: Command) {
  const help = new Option("-h, --help", "show help");
  const flagsOf = (command: Command) => [...command.options.filter(({ hidden }) => !hidden), help];
  const names = program.commands.map((command) => [command.name(), command.summary()] as const);
  const commands = program.commands.map((command) => ({
    name: command.name(),
    flags: flagsOf(command),
    words: command.registeredArguments.flatMap(({ argChoices = [] }) => argChoices.map((word) => [word, ""] as const)),
  }));
  const first = { name: "", flags: flagsOf(program), words: [...names, ["help", "show help for a command"] as const] };
  return [first, ...commands, { name: "help", flags: [], words: names }];
}

function takesValue({ optional, required }: Option) {
  return required || optional;
}

/** For bash 3.2 and later, and for zsh with its `bashcompinit`. */
function bashScript(commands: readonly Offered[]) {
  const values = commands.flatMap(({ flags, name }) =>
    flags.filter(takesValue).map(({ argChoices = [], long, short }) => {
      const patterns = [short, long].flatMap((each) => (each ? [`"${name} ${each}"`] : []));
      return `    ${patterns.join(" | ")}) offered="${argChoices.join(" ")}" ;;\n`;
    }),
  );
  const words = commands.map(({ flags, name, words: own }) => {
    const ofFlags = `        "${name} -"*) offered="${flags.map(({ long }) => long).join(" ")}" ;;\n`;
    const ofWords = `        "${name} "*) offered="${own.map(([word]) => word).join(" ")}" ;;\n`;
    return own.length === 0 ? ofFlags : ofFlags + ofWords;
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

function fishScript(commands: readonly Offered[]) {
  const quoted = (text: string) => `'${text.replaceAll("\\", "\\\\").replaceAll("'", "\\'")}'`;
  const lines = commands.flatMap(({ flags, name, words }) => {
    const line = (what: string, description: string): string =>
      `complete -c edgewise -n '__edgewise_after "${name}"' ${what}${description === "" ? "" : ` -d ${quoted(description)}`}`;
    return [
      ...words.map(([word, description]) => line(`-f -a ${word}`, description)),
      ...flags.map((flag) => {
        const { argChoices = [], description, long = "", short } = flag;
        const names = `-l ${long.slice(2)}${short ? ` -s ${short.slice(1)}` : ""}`;
        const choices = argChoices.length > 0 ? ` -x -a ${quoted(argChoices.join(" "))}` : "";
        return line(`${names}${choices || (takesValue(flag) ? " -r" : "")}`, description);
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
