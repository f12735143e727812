import type { Entry } from './remote.ts';

/**
 * The same text in memory of its own. A part that V8 cuts from a text keeps all of it: one name that outlives its page
 * of a listing keeps the whole page, a third of a MiB; parts of fewer than 13 units V8 copies itself. For names that a
 * run collects, not for each one it sees.
 */
export const ownText = (text: string): string => (text.length < 13 ? text : ` ${text}`.slice(1));

/** A copy of the entry, whose names and hashes do not keep the page of the listing that the entry came with. */
export function ownEntry<Copied extends Entry>(entry: Copied): Copied {
  const copy: Copied = ownTexts(entry);
  return copy.kind === 'file' && copy.hashes !== undefined
    ? { ...copy, hashes: ownTexts(copy.hashes) }
    : copy;
}

function ownTexts<Fields extends object>(fields: Fields): Fields {
  const copy = { ...fields };
  for (const name in copy) {
    const value = copy[name];
    if (typeof value === 'string') copy[name] = ownText(value) as typeof value;
  }
  return copy;
}
