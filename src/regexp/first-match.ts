import { RE2JS, RE2JSException, RE2Set } from 're2js';

/** Why Go's `regexp` package refuses an expression, mostly in Go's words. */
export class SyntaxFault extends Error {}

/** Larger sets need more states than their automaton may keep. */
const MAX_IN_SET = 500;

/** The index of an expression that matches, or -1. */
type Find = (text: string) => number;

/**
 * Tells which of a list of regular expressions is the first that matches a text, in time linear in the text. The
 * syntax is that of Go's `regexp` package (RE2), the one in which rclone's filter patterns take `{{…}}`: no
 * look-around, no backreferences. Throws `SyntaxFault` for an expression that Go refuses.
 */
export class FirstMatch {
  readonly #sets: Find[] = [];

  constructor(expressions: readonly string[]) {
    for (let from = 0; from < expressions.length; from += MAX_IN_SET) {
      this.#sets.push(compile(expressions.slice(from, from + MAX_IN_SET)));
    }
  }

  /** The index of the first expression that matches somewhere in `text`, -1 where none does. */
  find(text: string): number {
    for (const [i, find] of this.#sets.entries()) {
      const found = find(text);
      if (found >= 0) return i * MAX_IN_SET + found;
    }
    return -1;
  }
}

function compile(expressions: readonly string[]): Find {
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
