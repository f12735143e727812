import { suffixedPath } from '../../../src/names/suffixed-path.ts';
import type { Side } from './decide-two-way.ts';

/** How the file that does not keep its name is called (`--conflict-loser`); `delete`: it is not kept. */
export type ConflictLoser = 'date' | 'num' | 'pathname' | 'delete';

/** How the loser of a conflict is named. */
export interface ConflictNaming {
  readonly loser: Exclude<ConflictLoser, 'delete'>;
  /** By side, without the dot (`--conflict-suffix`). */
  readonly suffix: Readonly<Record<Side, string>>;
  /** Before the extension (`--suffix-keep-extension`). */
  readonly keepExtension: boolean;
}

/**
 * The first free name for the loser of a conflict: `f.conflict-20261121-113012-path2`, `f.conflict1`, and so on. It
 * depends on the file and not on the time of the run, so that a run that was interrupted names it the same.
 *
 * @param changedMs when the file was changed, in milliseconds since the epoch; `undefined` if unknown
 * @param isTaken whether a name is in use on one of the sides
 */
export async function conflictName(
  path: string,
  [side, changedMs]: readonly [Side, number | undefined],
  { loser, suffix, keepExtension }: ConflictNaming,
  isTaken: (path: string) => Promise<boolean>,
): Promise<string> {
  const number = side === 'a' ? 1 : 2;
  const text = suffix[side];
  // `20261121-113012`, in UTC.
  const iso = changedMs === undefined ? 'undated' : new Date(changedMs).toISOString();
  const date = iso.replace(/[-:]|\..*/g, '').replace('T', '-');
  const first = {
    date: `${text}-${date}-path${number}`,
    num: `${text}1`,
    pathname: `${text}${number}`,
  }[loser];
  for (let n = 1; ; n++) {
    const next = loser === 'num' ? `${text}${n}` : n === 1 ? first : `${first}-${n}`;
    const name = suffixedPath(path, { suffix: `.${next}`, keepExtension });
    if (!(await isTaken(name))) return name;
  }
}
