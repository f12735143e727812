import { commonFlags } from '../command-line/flag-set.ts';
import { descriptionLines, type HelpStyle, heading } from './help-style.ts';
import { flagLines } from './help-text.ts';

const RULES = `
Filter rules select files

Rules are tried in order. The first rule whose pattern matches decides; a file that matches no rule is included.
Whatever their order on the command line, --include comes first, then --include-from, --exclude, --exclude-from,
--filter and --filter-from. Any --include or --include-from adds a last rule that excludes everything else.

A pattern matches the end of a path, from a "/" on. A pattern that starts with "/" matches from the root of the
transfer.

  *           any characters except "/"
  **          any characters
  ?           one character except "/"
  [a-z]       one of these characters; [^a-z] any other character
  {a,b}       one of these patterns
  {{regexp}}  a regular expression
  \\          the next character literally
  dir/        at the end: a directory and everything in it (with --exclude)

  *.jpg      a.jpg, dir/a.jpg
  /*.jpg     a.jpg, but not dir/a.jpg
  dir/**     everything in every directory named dir

Rules of --filter and --filter-from start with "+ " to include or "- " to exclude; "!" clears the rules so far.
In files, empty lines and lines that start with "#" or ";" are ignored.

Rules of --metadata-include, --metadata-exclude and --metadata-filter are patterns of "key=value", such as
"mode=100600" or "content-type=image/**"; "syncer lsjson -M" prints the metadata of files. The first rule that matches
any metadata of a file decides; directories always pass, and --ignore-case has no effect.

Sizes are in KiB unless they end in B, K, M, G, T or P. Ages are durations (1h30m, 7d, 2w, 3M, 1y; plain numbers are
seconds) or dates (2026-01-31, 2026-01-31T12:00:00).

Test rules with "syncer ls" before changing anything; --dump filters prints the parsed rules.
`;

/** The help on filters and their flags. */
export function filtersHelp(env: NodeJS.ProcessEnv, style: HelpStyle): string {
  const flags = commonFlags().filter(({ definition }) => definition.group === 'filter');
  const rules = descriptionLines(RULES, style);
  return `${[...rules, '', heading('Flags', style), ...flagLines(flags, env, style)].join('\n')}\n`;
}
