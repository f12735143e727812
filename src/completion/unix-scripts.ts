/** The completion of bash; needs only bash 4. `COMP_TYPE` 9 asks for no descriptions. */
export const bashScript = (descriptions: boolean): string => `# bash completion for syncer
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
`;

/** The completion of fish, which itself omits the blank after `/`, `:` and `=`. */
export const fishScript = (descriptions: boolean): string => `# fish completion for syncer
function __syncer_complete
    set -l words (commandline --current-process --tokenize --cut-at-cursor)
    set -l typed (commandline --current-token --cut-at-cursor)
    set -l program (string replace --regex '^~' $HOME -- $words[1])
    $program __complete words -- $words[2..-1] (string unescape -- $typed; or echo $typed) 2>/dev/null </dev/null${
      descriptions ? '' : " | string replace --regex '\\t.*' ''"
    }
end
complete --command syncer --no-files --keep-order --arguments '(__syncer_complete)'
`;

/** The completion of zsh; to be sourced, or put into a directory of `$fpath` as `_syncer`. */
export const zshScript = (descriptions: boolean): string => `#compdef syncer
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
`;
