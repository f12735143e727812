// Alternatives that hold a / or **, nested ones, and regular expressions are not looked into.
const TOO_HARD = /\{[^{}]*(?:\*\*|\/)[^{}]*\}|\{\{|\}\}|\{[^{}]*\{/;

/**
 * The patterns of the directories in which a file that matches `glob` can lie, deepest first, each ending in
 * `/` (the root itself is left out). `/**` means any directory: where the pattern is not tied to one, or is
 * too hard to tell.
 */
export function directoryGlobs(glob: string): string[] {
  if (TOO_HARD.test(glob)) return ['/**'];
  const found: string[] = [];
  let rest = glob.replace(/\/{2,}/g, '/');
  for (;;) {
    const slash = rest.lastIndexOf('/');
    const stars = rest.lastIndexOf('**');
    const cut = Math.max(slash, stars);
    if (cut < 0) break;
    rest = rest.slice(0, cut);
    const directory = `${rest}${stars > slash ? '**' : ''}/`;
    if (found.at(-1) !== directory) found.push(directory);
  }
  if (found.length === 0) return ['/**'];
  return found.filter((directory) => directory !== '/');
}
