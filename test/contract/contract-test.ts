import type { Capabilities } from '../../src/core/remote.ts';
import type { World } from './contract-world.ts';

/** Something a store may have or not. */
export type Feature =
  | keyof Capabilities
  /** Directories are real: they exist when empty. */
  | 'directories'
  /** A name is a file or a directory, and never both. */
  | 'oneKindPerName'
  | 'sortedPages'
  /** `Details.checksums` */
  | 'checksums'
  /** `Details.body` */
  | 'openedWithDetails'
  | 'modTime'
  /** Modification times before 1970 and after 2106 are kept. */
  | 'anyTimes'
  | 'caseSensitive'
  | 'hashes'
  /** Removing what is not there fails. */
  | 'tellsMissing'
  /** Files can be in another storage class than the usual one. */
  | 'otherTiers'
  /** A file can have any name, also one like `CON`. */
  | 'reservedNames'
  /** Names can have any characters. */
  | 'oddNames'
  /** Names can have bytes that are not UTF-8. */
  | 'notUtf8'
  /** Names can have 255 bytes. */
  | 'longNames'
  /** Paths can be of more than a few hundred characters. */
  | 'longPaths'
  /** `é` in one character and in two are different names. */
  | 'unicodeForms'
  /** Metadata under any name is kept. */
  | 'ownMetadata';

/** One promise of the contract. */
export interface ContractTest {
  readonly name: string;
  readonly needs: readonly Feature[];
  /** Only for stores that lack this. */
  readonly onlyWithout?: Feature;
  readonly run: (world: World) => Promise<void>;
}

/** A test for all stores that have the features it `needs`. */
export function promise(
  name: string,
  needs: readonly Feature[],
  run: (world: World) => Promise<void>,
): ContractTest {
  return { name, needs, run };
}

/** A test only for stores that lack a feature. */
export function promiseWithout(
  feature: Feature,
  name: string,
  run: (world: World) => Promise<void>,
): ContractTest {
  return { name, needs: [], onlyWithout: feature, run };
}
