import { type PathChange, SIDES, type Side } from './decide-two-way.ts';

/** The sides of a two-way sync, as users call them. */
export const PATH_OF: Readonly<Record<Side, string>> = { a: 'path1', b: 'path2' };

type Changes = Readonly<Record<Side, PathChange>>;

/** What a two-way sync logs about a file, beside what every transfer does. `side`: the one that is written. */
export const WORDS = {
  compares: (changes: Changes) => `${changed(changes)}: compare`,
  copies: (changes: Changes, side: Side) => `${changed(changes)}: copy to ${PATH_OF[side]}`,
  deletes: (changes: Changes, side: Side) => `${changed(changes)}: delete on ${PATH_OF[side]}`,
  /** @param files of a directory: how many */
  renames(from: string, side: Side, files?: number) {
    const found = `renamed from "${from}" on ${PATH_OF[side === 'a' ? 'b' : 'a']}`;
    const more = files === undefined ? '' : `, with ${files} files`;
    return `${found}: rename on ${PATH_OF[side]}${more}`;
  },
  /** An earlier run had deleted it on both sides. */
  returned: (side: Side) =>
    `Copied to ${PATH_OF[side]} again, although an earlier run deleted it: if another bisync brought it back, the directories are in a ring; sync them in a chain or a star instead`,
  /** @param winner whose file keeps the name; `undefined`: none. @param others the other names, on both sides */
  conflict(winner: Side | undefined, others: readonly string[]) {
    const names = others.join(' and ');
    if (winner === undefined) return `Changed on both sides: renamed to ${names}`;
    const rest = others.length === 0 ? '' : `, the other one is ${names}`;
    return `Changed on both sides: the file of ${PATH_OF[winner]} keeps the name${rest}`;
  },
  /** @param what is there, in words */
  unlisted: (side: Side, what: string) =>
    `Left alone on both sides: ${PATH_OF[side]} has ${what} of this name`,
  waits: 'Changed since it was listed: left for the next run',
  held: 'Not deleted: a file of this size could not be copied, and may be the same under a new name',
};

function changed(changes: Changes): string {
  const sides = SIDES.filter((side) => changes[side] !== 'none');
  return sides.map((side) => `${changes[side]} on ${PATH_OF[side]}`).join(', ');
}
