import { SyncerError } from '../core/errors.ts';

const META = '.+()|^$';

/**
 * Translates a filter pattern into a regular expression in Go's syntax, exactly as rclone 1.75 does: its
 * text is what `--dump filters` shows. `*` and `?` stop at `/`, `**` does not; `[…]` and what follows `\` go
 * over as they are; `{a,b}` are alternatives, which may nest; `{{…}}` is a regular expression. A leading `/` ties the
 * pattern to the root, otherwise it may begin after any `/`. Throws `usage` with the reason.
 */
export function globToRegexp(glob: string, ignoreCase: boolean): string {
  const anchored = glob.startsWith('/');
  const pattern = anchored ? glob.slice(1) : glob;
  const translator = new GlobTranslator(pattern);
  return `${ignoreCase ? '(?i)' : ''}${anchored ? '^' : '(^|/)'}${translator.translate()}$`;
}

/**
 * Translates a pattern for any text, such as the type of a remote: `*` and `?` stand for all characters, capitals for
 * small letters too. Without `whole`, a part of the text may match. Throws `usage` with the reason.
 */
export function textGlobToRegexp(glob: string, whole: boolean): string {
  const inside = new GlobTranslator(glob, false).translate();
  return whole ? `(?i)^${inside}$` : `(?i)${inside}`;
}

class GlobTranslator {
  readonly #glob: string;
  readonly #isPath: boolean;
  #out = '';
  #stars = 0;
  #brackets = 0;
  #braces = 0;
  #escaped = false;
  #expression: 'none' | 'inside' | 'ended' = 'none';

  constructor(glob: string, isPath = true) {
    this.#glob = glob;
    this.#isPath = isPath;
  }

  translate(): string {
    let before = '';
    for (const character of this.#glob) {
      this.#take(character, before);
      before = character;
    }
    this.#writeStars();
    if (this.#brackets > 0) throw this.#fault("mismatched '[' and ']'");
    if (this.#braces > 0) throw this.#fault("mismatched '{' and '}'");
    if (this.#expression === 'inside') throw this.#fault("mismatched '{{' and '}}'");
    return this.#out;
  }

  #take(character: string, before: string): void {
    if (this.#escaped) {
      this.#out += character;
      this.#escaped = false;
    } else if (!this.#takeExpression(character, before)) {
      if (character === '*' && this.#brackets === 0) {
        this.#stars++;
      } else {
        this.#writeStars();
        if (this.#brackets > 0) this.#takeInBrackets(character);
        else this.#takePlain(character, before);
      }
    }
  }

  /** `{{…}}`: it ends at the last of several closing braces. */
  #takeExpression(character: string, before: string): boolean {
    if (this.#expression === 'ended') {
      if (character === '}') {
        this.#out = `${this.#out.slice(0, -1)}})`;
        return true;
      }
      this.#expression = 'none';
    }
    if (this.#expression === 'none') return false;
    if (character === '}' && before === '}') {
      this.#out = `${this.#out.slice(0, -1)})`;
      this.#expression = 'ended';
    } else {
      this.#out += character;
    }
    return true;
  }

  #takeInBrackets(character: string): void {
    this.#out += character;
    if (character === '[') this.#brackets++;
    if (character === ']') this.#brackets--;
  }

  #takePlain(character: string, before: string): void {
    switch (character) {
      case '\\':
        this.#escaped = true;
        this.#out += character;
        break;
      case '?':
        this.#out += this.#isPath ? '[^/]' : '.';
        break;
      case '[':
        this.#brackets++;
        this.#out += character;
        break;
      case ']':
        throw this.#fault("mismatched ']'");
      case '{':
        this.#openBrace(before);
        break;
      case '}':
        if (this.#braces === 0) throw this.#fault("mismatched '{' and '}'");
        this.#braces--;
        this.#out += ')';
        break;
      case ',':
        this.#out += this.#braces > 0 ? '|' : ',';
        break;
      default:
        this.#out += META.includes(character) ? `\\${character}` : character;
    }
  }

  #openBrace(before: string): void {
    if (this.#braces > 0 && before === '{') {
      this.#braces--;
      this.#expression = 'inside';
    } else {
      this.#braces++;
      this.#out += '(';
    }
  }

  #writeStars(): void {
    const expressions = this.#isPath ? ['', '[^/]*', '.*'] : ['', '.*'];
    const expression = expressions[this.#stars];
    if (expression === undefined) {
      throw new SyncerError('usage', `too many stars in "${this.#glob}"`);
    }
    this.#out += expression;
    this.#stars = 0;
  }

  #fault(reason: string): SyncerError {
    return new SyncerError('usage', `${reason} in glob "${this.#glob}"`);
  }
}

// Alternatives that hold a / or **, nested ones, and regular expressions are not looked into.
const TOO_HARD = /\{[^{}]*(?:\*\*|\/)[^{}]*\}|\{\{|\}\}|\{[^{}]*\{/;

/** Patterns with more levels are not looked into either: all their parents together would take gigabytes. */
const MOST_LEVELS = 256;

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
    if (found.length > MOST_LEVELS) return ['/**'];
  }
  if (found.length === 0) return ['/**'];
  return found.filter((directory) => directory !== '/');
}
