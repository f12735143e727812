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
