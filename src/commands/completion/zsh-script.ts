import type { DescribedCommand, DescribedOption } from "./describe-program.js";

/** The completion script for zsh. */
export function zshScript(commands: readonly DescribedCommand[]): string {
  return `#compdef edgewise
# edgewise completion for zsh: source <(edgewise completion zsh), or save it as _edgewise on the fpath
_edgewise() {
  local -a commands
  commands=(
${commands.map(({ name, summary }) => `    ${zshQuoted(`${name}:${summary}`)}`).join("\n")}
    'help:show help of a command'
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
