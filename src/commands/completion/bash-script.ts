import type { DescribedCommand } from "./describe-program.js";

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
