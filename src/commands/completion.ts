import { programFile } from "../own-files.js";
import { shellWord } from "../shell-word.js";
import { completeName } from "./program/build-program.js";
import type { GuardedIo } from "./support/io.js";

/**
 * `completion SHELL`: prints a script that asks the program what to offer, each time that somebody presses Tab. So it
 * knows the manifests, and never has to be made again.
 */
export async function completionCommand(shell: string, io: GuardedIo): Promise<number> {
  const script = shell === "fish" ? fishScript : shell === "zsh" ? zshScript : bashScript;
  io.stdout(script(programFile()));
  return 0;
}

/**
 * For bash 3.2 and later. Words are taken as they come: `compgen -W` would evaluate a `$(…)` in them.
 * @param program the file to run where no `edgewise` is on the PATH; the same in the other scripts
 */
export function bashScript(program: string): string {
  return `# edgewise completion for bash: source <(edgewise completion bash)
# In a subshell. Relative directories of the PATH are left out: in them are programs of whoever wrote what is checked out.
_edgewise_run() {
  local rest="\${PATH-}:" entry="" absolute=""
  while [ -n "$rest" ]; do
    entry="\${rest%%:*}" rest="\${rest#*:}"
    case $entry in /*) absolute="$absolute\${absolute:+:}$entry" ;; esac
  done
  PATH="\${absolute:-/}"
  if type -P edgewise >/dev/null; then command edgewise ${completeName} "$@"
  else command node ${shellWord(program)} ${completeName} "$@"
  fi </dev/null 2>/dev/null
}
_edgewise() {
  local line otherwise=""
  COMPREPLY=()
  while IFS= read -r line; do
    if [ -z "$otherwise" ]; then otherwise=$line; else COMPREPLY+=("$line"); fi
  done < <(_edgewise_run bash "$2" "\${COMP_LINE:0:COMP_POINT}")
  # bash 3.2 has no compopt: it offers files instead of nothing.
  type compopt >/dev/null 2>&1 || return 0
  if [ "$otherwise" = files ]; then compopt +o nospace; else compopt +o default; fi 2>/dev/null
  return 0
}
if [ -n "\${ZSH_VERSION-}" ]; then
  echo "edgewise: this completion is for bash. In zsh: source <(edgewise completion zsh)" >&2
else
  complete -o default -o nospace -F _edgewise edgewise
fi
`;
}

/** For zsh 5 and later. zsh quotes the words that it inserts. */
export function zshScript(program: string): string {
  return `#compdef edgewise
# edgewise completion for zsh: source <(edgewise completion zsh), or save it as _edgewise in a directory of $fpath
# In a subshell. Relative directories of the PATH are left out: in them are programs of whoever wrote what is checked out.
_edgewise_run() {
  local rest="\${PATH-}:" entry="" absolute=""
  while [ -n "$rest" ]; do
    entry="\${rest%%:*}" rest="\${rest#*:}"
    case $entry in /*) absolute="$absolute\${absolute:+:}$entry" ;; esac
  done
  PATH="\${absolute:-/}"
  if (( $+commands[edgewise] )); then command edgewise ${completeName} "$@"
  else command node ${shellWord(program)} ${completeName} "$@"
  fi </dev/null 2>/dev/null
}
_edgewise() {
  local line value what
  local -i skip width=0
  local -a lines finished unfinished shown described
  lines=("\${(@f)$(_edgewise_run zsh "\${(@Q)words[1,CURRENT-1]}" "$PREFIX")}")
  what=\${lines[1]% *} skip=\${lines[1]##* }
  shift lines
  if (( skip > 0 )); then
    IPREFIX+=\${PREFIX[1,skip]}
    PREFIX=\${PREFIX[skip+1,-1]}
  fi
  [[ $what = files ]] && { _files; return }
  [[ $what = values ]] || return 1
  for line in $lines; do
    value=\${\${line%%$'\\t'*}[2,-1]}
    (( \${#value} > width )) && width=\${#value}
  done
  for line in $lines; do
    value=\${\${line%%$'\\t'*}[2,-1]}
    what=$value
    [[ -n \${line#*$'\\t'} ]] && what="\${(r:width:)value}  -- \${line#*$'\\t'}"
    what=\${what[1,COLUMNS-1]}
    if [[ $line = -* ]]; then unfinished+=("$value") described+=("$what")
    else finished+=("$value") shown+=("$what")
    fi
  done
  local -i added=1
  local -a expl
  # Styles of yours, like a matcher for lower case.
  _description values expl value
  compadd "$expl[@]" -l -d shown -a finished && added=0
  compadd "$expl[@]" -l -S '' -d described -a unfinished && added=0
  return added
}
if [ "$funcstack[1]" = "_edgewise" ]; then
  _edgewise "$@"
else
  (( \${+functions[compdef]} )) && compdef _edgewise edgewise
  # compinit forgets what was defined before it, and may come later or never: what is missing is made up for at the prompt.
  _edgewise_define() {
    add-zsh-hook -d precmd _edgewise_define
    unfunction _edgewise_define
    (( \${+functions[compdef]} )) || { autoload -Uz compinit && compinit -i }
    [[ -n \${_comps[edgewise]-} ]] || compdef _edgewise edgewise
  }
  autoload -Uz add-zsh-hook && add-zsh-hook precmd _edgewise_define
fi
`;
}

/** For fish 3 and later. fish quotes the words that it inserts. */
export function fishScript(program: string): string {
  const file = `'${program.replaceAll("\\", "\\\\").replaceAll("'", "\\'")}'`;
  return `# edgewise completion for fish: edgewise completion fish > ~/.config/fish/completions/edgewise.fish
function __edgewise_run
    # Without relative directories: in them are programs of whoever wrote what is checked out.
    set -lx PATH (string match '/*' -- $PATH)
    if command -q edgewise
        command edgewise ${completeName} $argv </dev/null 2>/dev/null
    else
        command node ${file} ${completeName} $argv </dev/null 2>/dev/null
    end
end
function __edgewise_complete
    set -l current (commandline -ct)
    set -g __edgewise_offered (__edgewise_run fish (commandline -opc) "$current")
    set -l what $__edgewise_offered[1]
    set -e __edgewise_offered[1]
    test "$what" != files
end
complete -c edgewise -e
complete -c edgewise -n __edgewise_complete -f -a '$__edgewise_offered'
`;
}
