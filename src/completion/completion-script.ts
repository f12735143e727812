import { bashScript, fishScript, zshScript } from './unix-scripts.ts';

/** The completion of PowerShell 5 and later. */
const powershellScript = (descriptions: boolean): string => `# powershell completion for syncer
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
`;

const SCRIPTS = {
  bash: bashScript,
  zsh: zshScript,
  fish: fishScript,
  powershell: powershellScript,
} as const;

/** The shells that there are completions for. */
export type Shell = keyof typeof SCRIPTS;

/** Whether there is a completion for this shell. */
export function isShell(name: string): name is Shell {
  return Object.hasOwn(SCRIPTS, name);
}

/** What a shell must read to complete command lines of syncer, with or without descriptions. */
export function completionScript(shell: Shell, descriptions: boolean): string {
  return SCRIPTS[shell](descriptions);
}
