import { RE2JS, RE2JSException, RE2Set } from 're2js';

/** Why Go's `regexp` package refuses an expression, mostly in Go's words. */
export class SyntaxFault extends Error {}

/** Larger sets exceed the states of their automaton. */
const MAX_IN_SET = 500;

/**
 * Finds the first of several regular expressions that matches a text, in linear time. The syntax is that of Go's
 * `regexp` package (RE2), which rclone's filters use in `{{…}}`: no look-around, no backreferences. Throws
 * `SyntaxFault` for an expression that Go refuses.
 */
export class FirstMatch {
  readonly #sets: ((text: string) => number)[] = [];

  constructor(expressions: readonly string[]) {
    for (let from = 0; from < expressions.length; from += MAX_IN_SET) {
      this.#sets.push(compile(expressions.slice(from, from + MAX_IN_SET)));
    }
  }

  /** The index of the first expression that matches in `text`, or -1. */
  find(text: string): number {
    for (const [i, find] of this.#sets.entries()) {
      const found = find(text);
      if (found >= 0) return i * MAX_IN_SET + found;
    }
    return -1;
  }
}

/** Gives the index of an expression that matches, or -1. */
function compile(expressions: readonly string[]): (text: string) => number {
  try {
    const [only] = expressions;
    if (only !== undefined && expressions.length === 1) {
      const expression = RE2JS.compile(only);
      return (text) => (expression.test(text) ? 0 : -1);
    }
    const set = new RE2Set();
    for (const each of expressions) set.add(each);
    set.compile();
    return (text) => set.match(text).sort((a, b) => a - b)[0] ?? -1;
  } catch (thrown) {
    if (!(thrown instanceof RE2JSException)) throw thrown;
    throw new SyntaxFault(thrown.message.replace(/^error parsing regexp: /, ''));
  }
}
