import { SyncerError } from '../core/errors.ts';
import { FirstMatch, SyntaxFault } from '../regexp/first-match.ts';
import { directoryGlobs, globToRegexp } from './glob-to-regexp.ts';

interface Rule {
  readonly include: boolean;
  readonly regexp: string;
}

/** Rules in order: the first that matches decides, and what none matches is included. */
class RuleList {
  /** By how it is printed: a rule that is there already is not added again. */
  readonly #rules = new Map<string, Rule>();

  get size(): number {
    return this.#rules.size;
  }

  add(include: boolean, regexp: string): void {
    const text = `${include ? '+' : '-'} ${regexp}`;
    if (!this.#rules.has(text)) this.#rules.set(text, { include, regexp });
  }

  clear(): void {
    this.#rules.clear();
  }

  describe(): string[] {
    return [...this.#rules.keys()];
  }

  /** The rules as they are now, as a test of a path. */
  test(): (path: string) => boolean {
    const test = this.testAny();
    return (path) => test([path]);
  }

  /** As `test` for several texts: the first rule that matches one of them decides. */
  testAny(): (texts: readonly string[]) => boolean {
    const rules = [...this.#rules.values()];
    const matcher = new FirstMatch(rules.map((rule) => rule.regexp));
    return (texts) => {
      const found = texts.map((text) => matcher.find(text)).filter((at) => at >= 0);
      return rules[Math.min(...found)]?.include ?? true;
    };
  }
}

/** How rules are read. */
export interface FilterRuleOptions {
  readonly ignoreCase?: boolean | undefined;
  /** They are about texts that are no paths: no rule is about directories. */
  readonly isPlain?: boolean;
}

/**
 * The rules for files, and those for directories that follow from them, as rclone 1.75 builds them.
 * Every `add…` throws `usage` for a pattern that makes no sense.
 */
export class FilterRules {
  readonly #ignoreCase: boolean;
  readonly #isPlain: boolean;
  readonly #files = new RuleList();
  readonly #dirs = new RuleList();

  constructor({ ignoreCase = false, isPlain = false }: FilterRuleOptions) {
    this.#ignoreCase = ignoreCase;
    this.#isPlain = isPlain;
  }

  /** Some directories are excluded: there are rules for them, and the first is not to include all. */
  get prunesDirs(): boolean {
    const [first] = this.#dirs.describe();
    return first !== undefined && !/^\+ (?:\(\?i\))?\^\.\*\$$/.test(first);
  }

  get isEmpty(): boolean {
    return this.#files.size === 0 && this.#dirs.size === 0;
  }

  /** Adds the rule of `--include` or `--exclude`. A trailing `/` makes it one for directories. */
  add(include: boolean, glob: string): void {
    if (this.#isPlain) {
      this.#files.add(include, this.#compile(glob));
      return;
    }
    const forDir = glob.endsWith('/');
    // Excluding a directory excludes all that is in it.
    const pattern = forDir && !include ? `${glob}**` : glob;
    const crossesDirs = pattern.includes('**');
    const regexp = this.#compile(pattern);
    if (!forDir || crossesDirs) {
      this.#files.add(include, regexp);
      // An exclude rule for files alone rules out no directory, except the one that matches every name.
      if (include || pattern === '*') this.#addParentDirs(include, pattern);
    }
    if (forDir || crossesDirs) this.#dirs.add(include, regexp);
  }

  /** Adds a rule of `--filter`: `+ pattern`, `- pattern`, or `!`, which forgets all before it. */
  addFilter(rule: string): void {
    if (rule === '!') {
      this.#files.clear();
      this.#dirs.clear();
    } else if (rule.startsWith('+ ') || rule.startsWith('- ')) {
      this.add(rule.startsWith('+'), rule.slice(2));
    } else {
      throw new SyncerError(
        'usage',
        `malformed rule "${rule}": it must be "+ pattern", "- pattern" or "!"`,
      );
    }
  }

  /** Whether a file passes, by its path. */
  fileTest(): (path: string) => boolean {
    return this.#files.test();
  }

  /** Whether one of several texts decides for a file. */
  anyTest(): (texts: readonly string[]) => boolean {
    return this.#files.testAny();
  }

  /** Whether files that pass may lie in a directory; its path is given with a `/` at the end. */
  dirTest(): (path: string) => boolean {
    return this.#dirs.test();
  }

  /** The rules as text, for files and for directories. */
  describe(): { readonly files: readonly string[]; readonly dirs: readonly string[] } {
    return { files: this.#files.describe(), dirs: this.#dirs.describe() };
  }

  #addParentDirs(include: boolean, pattern: string): void {
    for (const directory of directoryGlobs(pattern)) {
      const regexp = this.#compile(directory);
      this.#dirs.add(include, regexp);
    }
  }

  /** The regular expression of a pattern, which is known to compile. */
  #compile(glob: string): string {
    const regexp = globToRegexp(glob, this.#ignoreCase);
    try {
      new FirstMatch([regexp]);
      return regexp;
    } catch (thrown) {
      if (!(thrown instanceof SyntaxFault)) throw thrown;
      throw new SyncerError(
        'usage',
        `bad glob pattern "${glob}" (regexp "${regexp}"): error parsing regexp: ${thrown.message}`,
      );
    }
  }
}
