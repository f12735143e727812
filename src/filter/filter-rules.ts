import { SyncerError } from '../core/errors.ts';
import { FirstMatch, SyntaxFault } from '../go/first-match.ts';
import type { FilterVerdict } from './filter.ts';
import { directoryGlobs, globToRegexp } from './glob-to-regexp.ts';

interface Rule {
  readonly include: boolean;
  readonly regexp: string;
  /** As it was given, and where: `- *.tmp`, `--exclude-from x, line 3`. */
  readonly given: string;
  readonly from: string;
}

/** A test of paths, or of other texts, by rules. */
export interface RuleTest {
  keeps(text: string): boolean;
  /** As `keeps`, with the rule; of several texts: the first rule that matches one of them decides. */
  explain(texts: readonly string[]): FilterVerdict;
}

/** Rules in order: the first that matches decides, and what none matches is included. */
class RuleList {
  /** By how it is printed: a rule that is there already is not added again. */
  readonly #rules = new Map<string, Rule>();

  get size(): number {
    return this.#rules.size;
  }

  add(rule: Rule): void {
    const text = `${rule.include ? '+' : '-'} ${rule.regexp}`;
    if (!this.#rules.has(text)) this.#rules.set(text, rule);
  }

  clear(): void {
    this.#rules.clear();
  }

  describe(): string[] {
    return [...this.#rules.keys()];
  }

  /** The rules as they are now. */
  test(): RuleTest {
    const rules = [...this.#rules.values()];
    const matcher = matcherOf(rules);
    return {
      keeps: (text) => rules[matcher.find(text)]?.include ?? true,
      explain(texts) {
        const found = texts.map((text) => matcher.find(text)).filter((at) => at >= 0);
        const rule = rules[Math.min(...found)];
        return rule === undefined
          ? { keeps: true }
          : { keeps: rule.include, rule: rule.given, from: rule.from };
      },
    };
  }
}

/** Each rule compiles by itself; together they may be too large. */
function matcherOf(rules: readonly Rule[]): FirstMatch {
  try {
    return new FirstMatch(rules.map((rule) => rule.regexp));
  } catch (thrown) {
    if (!(thrown instanceof SyntaxFault)) throw thrown;
    throw new SyncerError('usage', `the filter rules are too large: ${thrown.message}`);
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

  /** Adds the rule of `--include` or `--exclude`, which stands in `from`. A trailing `/` makes it one for directories. */
  add(include: boolean, glob: string, from: string): void {
    const given = `${include ? '+' : '-'} ${glob}`;
    if (this.#isPlain) {
      this.#files.add({ include, regexp: this.#compile(glob), given, from });
      return;
    }
    const forDir = glob.endsWith('/');
    // Excluding a directory excludes all that is in it.
    const pattern = forDir && !include ? `${glob}**` : glob;
    const crossesDirs = pattern.includes('**');
    const rule = { include, regexp: this.#compile(pattern), given, from };
    if (!forDir || crossesDirs) {
      this.#files.add(rule);
      // An exclude rule for files alone rules out no directory, except the one that matches every name.
      if (include || pattern === '*') this.#addParentDirs(pattern, rule);
    }
    if (forDir || crossesDirs) this.#dirs.add(rule);
  }

  /** Adds a rule of `--filter`: `+ pattern`, `- pattern`, or `!`, which forgets all before it. */
  addFilter(rule: string, from: string): void {
    const shown = rule.trimEnd();
    if (shown === '!') {
      this.#files.clear();
      this.#dirs.clear();
    } else if (/^[+-] /.test(shown)) {
      this.add(rule.startsWith('+'), rule.slice(2), from);
    } else {
      throw new SyncerError(
        'usage',
        `malformed rule "${rule}": it must be "+ pattern", "- pattern" or "!"`,
      );
    }
  }

  /** Whether a file passes, by its path or its other texts. */
  fileTest(): RuleTest {
    return this.#files.test();
  }

  /** Whether files that pass may lie in a directory; its path is given with a `/` at the end. */
  dirTest(): RuleTest {
    return this.#dirs.test();
  }

  /** The rules as text, for files and for directories. */
  describe(): { readonly files: readonly string[]; readonly dirs: readonly string[] } {
    return { files: this.#files.describe(), dirs: this.#dirs.describe() };
  }

  #addParentDirs(pattern: string, rule: Rule): void {
    for (const directory of directoryGlobs(pattern)) {
      this.#dirs.add({ ...rule, regexp: this.#compile(directory) });
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
