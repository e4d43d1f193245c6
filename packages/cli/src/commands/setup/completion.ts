import { nearestName } from "@tessera/wire/nearest";
import type { Command } from "commander";
import { usageFailure } from "../../failure.ts";
import { examples } from "../../help.ts";
import type { Session } from "../../session.ts";

// Each script hands the words so far to `tess __complete`, which answers one candidate a line.
const scripts: Readonly<Record<string, string>> = {
  bash: `# bash completion for tess
_tess() {
  local IFS=$'\\n'
  COMPREPLY=($(tess __complete "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null))
}
complete -o default -F _tess tess
`,
  zsh: `#compdef tess
# zsh completion for tess
_tess() {
  local -a candidates
  candidates=("\${(@f)$(tess __complete "\${(@)words[2,CURRENT]}" 2>/dev/null)}")
  if [[ -n "\${candidates[1]}" ]]; then compadd -- "\${candidates[@]}"; else _files; fi
}
compdef _tess tess
`,
  fish: `# fish completion for tess
function __tess_complete
  set -l words (commandline -opc) (commandline -ct)
  tess __complete $words[2..-1] 2>/dev/null
end
complete -c tess -a '(__tess_complete)'
`,
};

export function define(command: Command, session: Session): void {
  command
    .description("Prints a completion script. Names of jobs, projects and nodes are completed too.")
    .argument("<shell>", Object.keys(scripts).join(", "));
  examples(command, [
    "tess completion bash > ~/.local/share/bash-completion/completions/tess",
    "tess completion zsh > ~/.zfunc/_tess",
    "tess completion fish > ~/.config/fish/completions/tess.fish",
  ]);
  command.action((shell: string) => {
    const script = scripts[shell];
    if (script !== undefined) return session.print(script);
    const close = nearestName(shell, Object.keys(scripts));
    throw usageFailure(
      `there is no completion for "${shell}"`,
      `${close === undefined ? "" : `did you mean ${close}? `}Shells: ${Object.keys(scripts).join(", ")}`,
    );
  });
}
