import type { Entry } from './remote.ts';

/**
 * The same text in memory of its own. A part that V8 cuts from a text keeps all of it: one name that outlives its page
 * of a listing keeps the whole page, a third of a MiB; parts of fewer than 13 units V8 copies itself. For names that a
 * run collects, not for each one it sees.
 */
export const ownText = (text: string): string => (text.length < 13 ? text : ` ${text}`.slice(1));

/** The same entry, whose names and hashes no longer keep the page of the listing they came with. */
export function ownEntry<Kept extends Entry>(entry: Kept): Kept {
  ownTexts(entry);
  if (entry.kind === 'file' && entry.hashes !== undefined) ownTexts(entry.hashes);
  return entry;
}

function ownTexts(fields: Entry | Partial<Record<string, string>>): void {
  for (const [name, { value, writable }] of Object.entries(
    Object.getOwnPropertyDescriptors(fields),
  )) {
    if (writable === true && typeof value === 'string') Reflect.set(fields, name, ownText(value));
  }
}
