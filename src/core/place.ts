import { joinPath, leafName, parentPath } from './remote-path.ts';

/** What a call gets from its caller; see `Op` of a remote. */
interface Asked {
  readonly signal: AbortSignal;
}

/** Kinds of places, as far as one can show the files of another. */
export type PlaceKind = 'disk' | 's3' | 'drive' | 'memory';

/** A name that no other item has, and the path that leads from this item to the one that was asked for. */
export interface Ancestor {
  /** Equal ids mean the same item, whichever remote told them. An item may have several. */
  readonly id: string;
  /** `''`: it is the item itself. */
  readonly rest: string;
}

/** Where an item lies. */
export interface Lineage {
  /** The item and all that it lies in, innermost first. */
  readonly ancestors: readonly Ancestor[];
  /** What shows up below it although it lies elsewhere (mounts): by id, and at which path. */
  readonly holds?: readonly { readonly id: string; readonly path: string }[];
}

/** Which other places may show the files of this one, under names that tell nothing. */
export interface Views {
  readonly of: readonly PlaceKind[];
  /** How long it may take until one shows what was written to the other, in milliseconds. */
  readonly lateMs: number;
}

/** What a remote knows of the place its files are at, whatever they are called. */
export interface Place {
  readonly kind: PlaceKind;
  /** Within one store no two ids mean the same item, and neither do two of `FileEntry.id`. */
  readonly store: string;
  /** Of the root or a directory, which need not exist. */
  lineage(path: string, op: Asked): Promise<Lineage>;
  /**
   * Tells a file from all others on this machine; `undefined` if there is none. Absent if paths do: equal paths below
   * roots of one item are one file.
   */
  readonly fileId?: (path: string) => string | undefined;
  /** Whether a directory may lie elsewhere than below the directory that its path names: by a link, mount or shortcut. */
  readonly leadsAway?: (dir: string) => boolean;
  /** Asked before a file is deleted because another place has it. */
  views(op: Asked): Promise<Views>;
}

/**
 * A path and all above it, each with a text before it.
 *
 * @param fold gives equal paths one form
 */
export function ancestorsOf(
  before: string,
  path: string,
  fold: (path: string) => string = (same) => same,
): Ancestor[] {
  const ancestors: Ancestor[] = [{ id: before + fold(path), rest: '' }];
  for (let [at, rest] = [path, '']; at !== ''; ) {
    rest = joinPath(leafName(at), rest);
    at = parentPath(at);
    ancestors.push({ id: before + fold(at), rest });
  }
  return ancestors;
}
