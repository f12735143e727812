import type { PlaceKind } from './case.ts';

/** What matters of a kind of place to what a run does; said here once more, so that a change over there is seen. */
export interface PlaceTraits {
  /** Precision of its times, in nanoseconds. */
  readonly precision: bigint;
  /** It has directories, so that files and directories can stand in each other's way. */
  readonly dirs: boolean;
}

export const TRAITS: Readonly<Record<PlaceKind, PlaceTraits>> = {
  local: { precision: 1n, dirs: true },
  s3: { precision: 1n, dirs: false },
  lied: { precision: 1n, dirs: false },
  drive: { precision: 1_000_000_000n, dirs: true },
  far: { precision: 1_000_000n, dirs: true },
};

/** How exactly times of a place can be looked up from outside. */
export function windowOf(kind: PlaceKind): bigint {
  if (kind === 'far') return 1_000_001n;
  return kind === 'drive' ? 1_000_000_001n : 1000n;
}

/** Whether the two have a hash in common. */
export function shareHash(one: PlaceKind, other: PlaceKind): boolean {
  return !(one !== other && [one, other].includes('s3') && [one, other].includes('drive'));
}
