import { join } from 'node:path';
import { SyncerError } from '../../src/core/errors.ts';
import type { CommandCall, Program, StandardOutput } from '../../src/shell/command-line/command.ts';
import { writeTextFile } from '../../src/shell/output/output-file.ts';
import type { GENERATE_FLAGS } from './command.ts';
import { manPages } from './man-pages.ts';
import { markdownPages } from './markdown-pages.ts';

type ScriptNeeds = CommandCall<typeof GENERATE_FLAGS> & StandardOutput;

/** `syncer completion bash`, `zsh`, `fish`, `powershell` */
export const completionCommand = (invocation: ScriptNeeds) => writeScript(invocation);

/** `syncer genautocomplete bash`, `zsh`, `fish`: by default where shells look for all users, as in rclone. */
export const genautocompleteCommand = (invocation: ScriptNeeds) =>
  writeScript(invocation, {
    bash: '/etc/bash_completion.d/syncer',
    zsh: '/usr/share/zsh/vendor-completions/_syncer',
    fish: '/etc/fish/completions/syncer.fish',
  });

async function writeScript(
  { args, flags, out }: ScriptNeeds,
  usualFiles: Readonly<Record<string, string>> = {},
): Promise<void> {
  const [shell = '', given] = args;
  if (!Object.hasOwn(SCRIPTS, shell)) {
    throw new SyncerError('usage', `give a shell: bash, zsh, fish or powershell`);
  }
  const script = completionScript(shell as keyof typeof SCRIPTS, !flags['no-descriptions']);
  const file = given ?? usualFiles[shell] ?? '-';
  if (file === '-') await out.write(script);
  else await writeTextFile(file, script);
}

export async function gendocsCommand({
  args: [folder = ''],
  commands,
  flags,
}: CommandCall<typeof GENERATE_FLAGS> & Program): Promise<void> {
  const pages = flags.man ? manPages(commands) : markdownPages(commands);
  for (const { path, text } of pages) await writeTextFile(join(folder, path), text);
}

const SCRIPTS = {
  /** The completion of bash; needs only bash 4. `COMP_TYPE` 9 asks for no descriptions. */
  bash: (descriptions: boolean) => `# bash completion for syncer
_syncer_complete() {
  local line program=\${1/#\\~/$HOME}
  COMPREPLY=()
  while IFS= read -r line; do
    COMPREPLY+=("$line")
  done < <("$program" __complete bash -- "${descriptions ? '$COMP_TYPE' : '9'}" "$COMP_WORDBREAKS" \\
    "\${COMP_LINE:0:COMP_POINT}" 2>/dev/null </dev/null)
  if [[ \${#COMPREPLY[@]} -eq 1 && \${COMPREPLY[0]} == *[/:=] ]]; then
    compopt -o nospace 2>/dev/null
  fi
}
complete -o nosort -F _syncer_complete syncer 2>/dev/null || complete -F _syncer_complete syncer
`,
  /** The completion of fish, which itself omits the blank after `/`, `:` and `=`. */
  fish: (descriptions: boolean) => `# fish completion for syncer
function __syncer_complete
    set -l words (commandline --current-process --tokenize --cut-at-cursor)
    set -l typed (commandline --current-token --cut-at-cursor)
    set -l program (string replace --regex '^~' $HOME -- $words[1])
    $program __complete words -- $words[2..-1] (string unescape -- $typed; or echo $typed) 2>/dev/null </dev/null${
      descriptions ? '' : " | string replace --regex '\\t.*' ''"
    }
end
complete --command syncer --no-files --keep-order --arguments '(__syncer_complete)'
`,
  /** The completion of zsh; to be sourced, or put into a directory of `$fpath` as `_syncer`. */
  zsh: (descriptions: boolean) => `#compdef syncer
# zsh completion for syncer
_syncer() {
  local line text shown
  local -a before ended ended_shown open open_shown
  (( CURRENT > 2 )) && before=("\${(@Q)words[2,CURRENT-1]}")
  while IFS= read -r line; do
    text=\${line%%$'\\t'*}
    shown=$text
    ${descriptions ? `[[ $line == *$'\\t'* ]] && shown="$text  -- \${line#*$'\\t'}"` : ':'}
    if [[ $text == *[/:=] ]]; then
      open+=("$text")
      open_shown+=("$shown")
    else
      ended+=("$text")
      ended_shown+=("$shown")
    fi
  done < <("\${\${(Q)words[1]}/#\\~/$HOME}" __complete words -- "\${(@)before}" "\${(Q)PREFIX}" 2>/dev/null </dev/null)
  (( \${#open} )) && compadd${descriptions ? ' -l' : ''} -S '' -d open_shown -a open
  (( \${#ended} )) && compadd${descriptions ? ' -l' : ''} -d ended_shown -a ended
  return 0
}
if [[ \${funcstack[1]} == _syncer ]]; then
  _syncer "$@"
else
  compdef _syncer syncer
fi
`,
  /** The completion of PowerShell 5 and later. */
  powershell: (descriptions: boolean) => `# powershell completion for syncer
Register-ArgumentCompleter -Native -CommandName 'syncer' -ScriptBlock {
    param($wordToComplete, $commandAst, $cursorPosition)
    $before = @()
    foreach ($element in ($commandAst.CommandElements | Select-Object -Skip 1)) {
        if ($element.Extent.EndOffset -ge $cursorPosition -and $wordToComplete -ne '') { break }
        if ($element -is [System.Management.Automation.Language.StringConstantExpressionAst]) {
            $before += $element.Value
        } else {
            $before += $element.Extent.Text
        }
    }
    $typed = $wordToComplete -replace "^['\`"]|['\`"]$", ''
    if ($typed -eq '') { $typed = '""' }
    & $commandAst.CommandElements[0].Extent.Text __complete powershell '--' @before $typed 2>$null | ForEach-Object {
        $text, $help = $_ -split "\`t", 2
        if (${descriptions ? '-not $help' : '$true'}) { $help = $text }
        $reply = $text
        if ($text -match "[\\s'\`"\`$;&|(){}<>@#,]") { $reply = "'" + ($text -replace "'", "''") + "'" }
        [System.Management.Automation.CompletionResult]::new($reply, $text, 'ParameterValue', $help)
    }
}
`,
} as const;

/** What a shell must read to complete command lines of syncer, with or without descriptions. */
export function completionScript(shell: keyof typeof SCRIPTS, descriptions: boolean): string {
  return SCRIPTS[shell](descriptions);
}
