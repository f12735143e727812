/** The argument of every call; see `Op` of a remote. */
interface Asked {
  readonly signal: AbortSignal;
}

/** Types of places, as far as one can show the files of another. */
export type PlaceKind = 'disk' | 's3' | 'drive' | 'rclone' | 'memory';

/** A unique name of an item, and the path from that item to the requested one. */
export interface Ancestor {
  /** Equal ids mean the same item, on whichever remote. An item may have several. */
  readonly id: string;
  /** `''`: it is the item itself. */
  readonly rest: string;
}

/** An id of what is at a path of the remote with this name in the configuration. */
export const remoteId = (name: string, path: string): string => `remote ${name}:${path}`;

/** The place of an item. */
export interface Lineage {
  /** The item and everything above it, innermost first. */
  readonly ancestors: readonly Ancestor[];
  /** Items visible below it although they are elsewhere (mounts): by id, and at which path. */
  readonly holds?: readonly { readonly id: string; readonly path: string }[];
}

/** Other places that may show the files of this one, under unrelated names. */
export interface Views {
  readonly of: readonly PlaceKind[];
  /** How long it may take until a change at one is visible at the other, in milliseconds. */
  readonly lateMs: number;
}

/** The place of a remote's files, whatever their names. */
export interface Place {
  readonly kind: PlaceKind;
  /** Within one store no two ids mean the same item (but see `part`), and neither do two of `FileEntry.id`. */
  readonly store: string;
  /**
   * What the path of the root goes down from, if ids alone do not prove that two places of the store are two: if it is
   * the same item for both, their paths do.
   */
  readonly anchor?: (op: Asked) => Promise<string>;
  /**
   * Which part of the store a path is in, if that combines several, or has mounts that may show other directories: two
   * parts may be one place, two paths of one part are two. `''`: in none.
   */
  readonly part?: (path: string) => string;
  /** Of the root or a directory, which need not exist. */
  lineage(path: string, op: Asked): Promise<Lineage>;
  /** The path of the root in the form that all its spellings have; absent if the remote's name and root say that. */
  readonly rootPath?: () => string;
  /**
   * Identifies a file on this machine; `undefined` if there is none. Absent if paths do: equal paths below roots of
   * one item are one file.
   */
  readonly fileId?: (path: string) => string | undefined;
  /** See `WriteSource.fingerprint`: of a file with its current content; `undefined` if there is none. */
  readonly fingerprint?: (path: string) => string | undefined;
  /** Whether a directory may be elsewhere than below the directory of its path: by a link, mount or shortcut. */
  readonly leadsAway?: (dir: string) => boolean;
  /** Called before a file is deleted because another place has it. */
  views(op: Asked): Promise<Views>;
}

/**
 * A path and all above it, each after a prefix.
 *
 * @param fold gives equal paths one form
 */
export function ancestorsOf(
  before: string,
  path: string,
  fold?: (path: string) => string,
): Ancestor[] {
  const ancestors: Ancestor[] = [{ id: before + (fold?.(path) ?? path), rest: '' }];
  for (let end = path.length; end > 0; ) {
    end = path.lastIndexOf('/', end - 1);
    const above = path.slice(0, Math.max(0, end));
    ancestors.push({ id: before + (fold?.(above) ?? above), rest: path.slice(end + 1) });
  }
  return ancestors;
}
