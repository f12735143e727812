import { foldName } from './name-order.ts';

/** How a disk compares names, which may differ from one directory to the next. */
export interface Naming {
  /**
   * Whether names in a directory that differ only in case are one name. `undefined`: nothing is there by which to
   * tell. A missing directory is as the one above it.
   *
   * @param listed entries that a listing of the directory has just shown
   */
  ignoresCase(dir: string, listed?: readonly { readonly path: string }[]): boolean | undefined;
  /** A path in the form that all its spellings have. */
  fold(path: string): string;
  /**
   * Whether two names in a directory are one: that of one file, or of what would be one.
   *
   * @param mayTry a temporary file may be created for it
   */
  areOne(dir: string, name: string, other: string, mayTry: boolean): boolean;
  /** The name of the same file in other letters, which its directory has or finds; `undefined` if there is none. */
  otherSpelling(path: string): string | undefined;
  /** The path of a file that is there as its directories have it; `undefined` if that is this one, or not known. */
  storedPath(path: string): string | undefined;
}

/** What is used of a remote. */
interface Named {
  readonly traits: { readonly caseInsensitive: boolean };
  readonly can: { readonly naming?: Naming };
}

/** Whether names in a directory of a remote that differ only in case are one name, as far as that is known. */
export function ignoresCase({ can, traits }: Named, dir: string): boolean {
  return can.naming === undefined ? traits.caseInsensitive : can.naming.ignoresCase(dir) === true;
}

/** A path in the form that all its spellings have on a remote. */
export function foldPath({ can, traits }: Named, path: string): string {
  return can.naming?.fold(path) ?? (traits.caseInsensitive ? foldName(path) : path);
}

/** Whether two paths differ at most in case and Unicode form: some places treat them as one. */
export function areAlike(path: string, other: string): boolean {
  return path === other || loose(path) === loose(other);
}

function loose(path: string): string {
  return foldName(path.normalize('NFC')).normalize('NFC');
}
