import type { Key } from './key.ts';
import { type KeyRule, keysIn } from './key-table.ts';

/** A key of a screen as an action with a name. */
export interface NamedAction<Run> {
  /** The key that does the same. */
  readonly key: string;
  readonly name: string;
  readonly run: Run;
}

/** All actions of a key table whose names have the typed words, in the order of the table. */
export function actionsIn<Run extends (name: string, key: Key) => unknown>(
  table: readonly KeyRule<Run>[],
  typed: string,
): readonly NamedAction<Run>[] {
  const words = typed.toLowerCase().split(' ');
  return table.flatMap(({ keys, does, more = does, run }) => {
    const [key = '', second] = keysIn(keys);
    // Several keys are directions or numbers: one of them alone says nothing.
    if (does === '' || second !== undefined || key === 'any key') return [];
    const name = more.replace(/; also .*$/, '');
    const text = `${name} ${does}`.toLowerCase();
    return words.every((word) => text.includes(word)) ? [{ key, name, run }] : [];
  });
}
