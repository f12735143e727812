import { commonFlags } from '../command-line/flag-set.ts';
import { flagLines } from './help-text.ts';

const RULES = `
How files are chosen

Rules are tried in order, and the first whose pattern matches decides; a file that none matches is included. Whatever
their order on the command line, --include comes first, then --include-from, --exclude, --exclude-from, --filter and
--filter-from. Any --include or --include-from adds a last rule that excludes everything else.

Patterns match the end of a path at a "/"; one that begins with "/" matches from the root of the transfer.

  *          any characters but "/"
  **         any characters
  ?          one character but "/"
  [a-z]      one of these; [^a-z] none of these
  {a,b}      one of these patterns
  {{regexp}} a regular expression
  \\          takes away the meaning of the character that follows
  dir/       at the end: a directory with all that is in it (with --exclude)

  *.jpg      a.jpg, dir/a.jpg
  /*.jpg     a.jpg, but not dir/a.jpg
  dir/**     all below every directory called dir

Lines of --filter and --filter-from begin with "+ " to include and "- " to exclude; "!" forgets the rules so far.
In files, empty lines and those that begin with "#" or ";" are comments.

Sizes are KiB unless they end in B, K, M, G, T or P. Ages are durations (1h30m, 7d, 2w, 3M, 1y; bare numbers are
seconds) or dates (2026-01-31, 2026-01-31T12:00:00).

Try rules with "syncer ls" before anything is changed; --dump filters prints what they were understood as.
`;

/** What is to be known of filters, and their flags. */
export function filtersHelp(): string {
  const flags = commonFlags().filter(({ definition }) => definition.group === 'filter');
  return `${RULES.trimStart()}\nFlags:\n${flagLines(flags).join('\n')}\n`;
}
