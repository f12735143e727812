import type { Remote } from '../../core/remote.ts';

/** What a run changes. */
export interface ChangedPlaces {
  readonly remotes: readonly Remote[];
  /** One file there: others may change other files at the same time. */
  readonly isFile: boolean;
}
