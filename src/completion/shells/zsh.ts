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
