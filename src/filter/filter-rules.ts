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

  get isEmpty(): boolean {
    return this.#rules.size === 0;
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
    // Each rule compiles by itself; together they may be too large.
    const matcher = compiled(
      rules.map(({ regexp }) => regexp),
      'the filter rules are too large',
    );
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

/** Throws `usage` with `fault` for expressions that do not compile. */
function compiled(regexps: readonly string[], fault: string): FirstMatch {
  try {
    return new FirstMatch(regexps);
  } catch (thrown) {
    if (!(thrown instanceof SyntaxFault)) throw thrown;
    throw new SyncerError('usage', `${fault}: ${thrown.message}`);
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
  readonly #how: FilterRuleOptions;
  /** For files, by their paths or their other texts. */
  readonly files = new RuleList();
  /** For directories, by their paths with a `/` at the end: whether files that pass may lie in one. */
  readonly dirs = new RuleList();

  constructor(how: FilterRuleOptions) {
    this.#how = how;
  }

  /** Some directories are excluded: there are rules for them, and the first is not to include all. */
  get prunesDirs(): boolean {
    const [first] = this.dirs.describe();
    return first !== undefined && !/^\+ (?:\(\?i\))?\^\.\*\$$/.test(first);
  }

  get isEmpty(): boolean {
    return this.files.isEmpty && this.dirs.isEmpty;
  }

  /** Adds the rule of `--include` or `--exclude`, which stands in `from`. A trailing `/` makes it one for directories. */
  add(include: boolean, glob: string, from: string): void {
    const given = `${include ? '+' : '-'} ${glob}`;
    const { ignoreCase = false, isPlain = false } = this.#how;
    const ruleOf = (pattern: string) => {
      const regexp = globToRegexp(pattern, ignoreCase);
      compiled(
        [regexp],
        `bad glob pattern "${pattern}" (regexp "${regexp}"): error parsing regexp`,
      );
      return { include, regexp, given, from };
    };
    if (isPlain) {
      this.files.add(ruleOf(glob));
      return;
    }
    const forDir = glob.endsWith('/');
    // Excluding a directory excludes all that is in it.
    const pattern = forDir && !include ? `${glob}**` : glob;
    const crossesDirs = pattern.includes('**');
    const rule = ruleOf(pattern);
    if (!forDir || crossesDirs) {
      this.files.add(rule);
      // An exclude rule for files alone rules out no directory, except the one that matches every name.
      if (include || pattern === '*')
        for (const directory of directoryGlobs(pattern)) this.dirs.add(ruleOf(directory));
    }
    if (forDir || crossesDirs) this.dirs.add(rule);
  }

  /** Adds a rule of `--filter`: `+ pattern`, `- pattern`, or `!`, which forgets all before it. */
  addFilter(rule: string, from: string): void {
    const shown = rule.trimEnd();
    if (shown === '!') {
      this.files.clear();
      this.dirs.clear();
    } else if (/^[+-] /.test(shown)) {
      this.add(rule.startsWith('+'), rule.slice(2), from);
    } else {
      throw new SyncerError(
        'usage',
        `malformed rule "${rule}": it must be "+ pattern", "- pattern" or "!"`,
      );
    }
  }
}
