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
