import { hash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { SyncerError } from '../core/errors.ts';

/** A note of an earlier version, which had a file for each. */
interface EarlierNote<T> {
  readonly note: T;
  readonly file: string;
}

/** The notes in a directory about one server or disk. Throws `config` for one that cannot be read: any file may be meant. */
export function earlierNotes<T extends { readonly path: string }>(
  folder: string,
  store: string,
): readonly EarlierNote<T>[] {
  const start = `${hash('sha256', store).slice(0, 32)}-`;
  return readdirSync(folder)
    .filter((name) => name.startsWith(start))
    .map((name) => ({ note: noteIn<T>(join(folder, name)), file: join(folder, name) }));
}

function noteIn<T extends { readonly path: string }>(file: string): T {
  try {
    const text = readFileSync(file, 'utf8');
    const [head = '{', sum] = /^\{"sum":"(\w+)",/.exec(text) ?? [];
    const rest = text.slice(head.length);
    const isWhole = sum === undefined || hash('sha256', rest).slice(0, 16) === sum;
    const note = isWhole ? (JSON.parse(`{${rest}`) as T) : undefined;
    if (typeof note?.path === 'string') return note;
  } catch {
    // It is no JSON, or cannot be read.
  }
  const text = `a note of an earlier version about a file is damaged: ${file}`;
  throw new SyncerError('config', text, { path: file, advice: 'delete it, and scrub again' });
}
