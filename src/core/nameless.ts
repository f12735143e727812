import { SyncerError } from './errors.ts';
import type { FailedEntry } from './remote.ts';

const WHY = 'an empty name between slashes, which no directory tree can hold';

/** What to do about objects that a pattern excludes. */
const advice = (pattern: string) =>
  `rename or delete such objects, or exclude them with --exclude${pattern}; ls, size and delete work with them`;

/** Whether a part of the path has no name, as in keys of object stores (`a//b`, `/a`, `a/`): it is no path of a tree. */
export function isNameless(path: string): boolean {
  return path.startsWith('/') || path.endsWith('/') || path.includes('//');
}

/** An object with such a key, for a listing by directory: it is there, but in none of them. */
export function namelessFile(path: string): FailedEntry {
  const text = `the object "${path}" has ${WHY}`;
  // A pattern that ends in a slash would exclude the directory of this name.
  const pattern = path.endsWith('/') ? " '{{.*/}}'" : '';
  return { path, error: new SyncerError('name-invalid', text, { path, advice: advice(pattern) }) };
}

/** All objects in `path`, a directory without a name; it ends in a slash. */
export function namelessDir(path: string): FailedEntry {
  const text = `there are more objects in "${path}", which has ${WHY}`;
  return {
    kind: 'dir',
    path,
    error: new SyncerError('name-invalid', text, { path, advice: advice('') }),
  };
}
