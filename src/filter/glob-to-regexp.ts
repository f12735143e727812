import { SyncerError } from '../core/errors.ts';

/**
 * Translates a filter pattern into a regular expression in Go's syntax, exactly as rclone 1.75 does: its
 * text is what `--dump filters` shows. `*` and `?` stop at `/`, `**` does not; `[…]` and what follows `\` go
 * over as they are; `{a,b}` are alternatives, which may nest; `{{…}}` is a regular expression. A leading `/` ties the
 * pattern to the root, otherwise it may begin after any `/`. Throws `usage` with the reason.
 */
export function globToRegexp(glob: string, ignoreCase: boolean): string {
  const anchored = glob.startsWith('/');
  const pattern = anchored ? glob.slice(1) : glob;
  return `${ignoreCase ? '(?i)' : ''}${anchored ? '^' : '(^|/)'}${translate(pattern, true)}$`;
}

/**
 * Translates a pattern for any text, such as the type of a remote: `*` and `?` stand for all characters, capitals for
 * small letters too. Without `whole`, a part of the text may match. Throws `usage` with the reason.
 */
export function textGlobToRegexp(glob: string, whole: boolean): string {
  const inside = translate(glob, false);
  return whole ? `(?i)^${inside}$` : `(?i)${inside}`;
}

function translate(glob: string, isPath: boolean): string {
  const fault = (reason: string) => new SyncerError('usage', `${reason} in glob "${glob}"`);
  const oddBraces = "mismatched '{' and '}'";
  const characters = [...glob];
  let out = '';
  let [stars, brackets, braces] = [0, 0, 0];
  const writeStars = () => {
    const expression = (isPath ? ['', '[^/]*', '.*'] : ['', '.*'])[stars];
    if (expression === undefined) throw new SyncerError('usage', `too many stars in "${glob}"`);
    out += expression;
    stars = 0;
  };
  for (let at = 0; at < characters.length; at++) {
    const character = characters[at] as string;
    if (character === '*' && brackets === 0) {
      stars++;
      continue;
    }
    writeStars();
    if (brackets > 0 || character === '[') {
      out += character;
      if (character === '[') brackets++;
      if (character === ']') brackets--;
    } else if (character === '\\') {
      out += character + (characters[++at] ?? '');
    } else if (character === '?') {
      out += isPath ? '[^/]' : '.';
    } else if (character === ']') {
      throw fault("mismatched ']'");
    } else if (character === '{' && braces > 0 && characters[at - 1] === '{') {
      braces--;
      const end = endOfExpression(characters, at + 1);
      if (end === undefined) throw fault(braces > 0 ? oddBraces : "mismatched '{{' and '}}'");
      out += `${characters.slice(at + 1, end - 1).join('')})`;
      at = end;
    } else if (character === '{') {
      braces++;
      out += '(';
    } else if (character === '}') {
      if (braces-- === 0) throw fault(oddBraces);
      out += ')';
    } else if (character === ',' && braces > 0) {
      out += '|';
    } else out += '.+()|^$'.includes(character) ? `\\${character}` : character;
  }
  writeStars();
  if (brackets > 0) throw fault("mismatched '[' and ']'");
  if (braces > 0) throw fault(oddBraces);
  return out;
}

/** The place of the last brace that closes `{{…}}`, of several the last; `undefined` if there are no two. */
function endOfExpression(characters: readonly string[], from: number): number | undefined {
  let end = from + 1;
  while (end < characters.length && !(characters[end] === '}' && characters[end - 1] === '}'))
    end++;
  if (end >= characters.length) return undefined;
  while (characters[end + 1] === '}') end++;
  return end;
}

/**
 * The patterns of the directories in which a file that matches `glob` can lie, deepest first, each ending in
 * `/` (the root itself is left out). `/**` means any directory: where the pattern is not tied to one, or is
 * too hard to tell.
 */
export function directoryGlobs(glob: string): string[] {
  // Alternatives that hold a / or **, nested ones, and regular expressions are not looked into.
  if (/\{[^{}]*(?:\*\*|\/)[^{}]*\}|\{\{|\}\}|\{[^{}]*\{/.test(glob)) return ['/**'];
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
    // All parents of a pattern with more levels would take gigabytes together.
    if (found.length > 256) return ['/**'];
  }
  if (found.length === 0) return ['/**'];
  return found.filter((directory) => directory !== '/');
}
