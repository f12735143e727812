import { SyncerError } from '../../core/errors.ts';
import { OWN_NAMES } from '../../core/own-names.ts';

/** What a run looks at before it deletes anything (`--guard`). */
export interface GuardList {
  /** The source has no files, and the destination has. */
  readonly empty?: true | undefined;
  /** The most files of the destination that may be deleted, in percent. */
  readonly percent?: number | undefined;
  /** The most files that may be deleted. */
  readonly count?: number | undefined;
  /** The source is on the file system on which it was in the last good run. */
  readonly 'same-device'?: true | undefined;
  /** A file that must be at the source: `.syncer-guard`, or one of the user's. */
  readonly marker?: string | undefined;
  /** The last good runs did not go the other way. */
  readonly swapped?: true | undefined;
  /** No file that `scrub` found suspect replaces another one. */
  readonly suspect?: true | undefined;
  /** The destination is not `/`, the home directory, and does not hold the configuration. */
  readonly home?: true | undefined;
}

export type GuardName = keyof GuardList;

/** How each guard is written, in the order of the help. */
const FORMS: Readonly<Record<GuardName, string>> = {
  empty: 'empty',
  percent: 'percent=N',
  count: 'count=N',
  'same-device': 'same-device',
  marker: 'marker[=NAME]',
  swapped: 'swapped',
  suspect: 'suspect',
  home: 'home',
};

/** Parses `--guard`: `on`, `off`, or names with commas between them. Throws `usage`. */
export function parseGuards(text: string): GuardList {
  const on = { empty: true, percent: 50, count: 1000, 'same-device': true, swapped: true } as const;
  let list: GuardList = {};
  for (const part of text.split(',').map((each) => each.trim()))
    list = part === 'off' ? {} : { ...list, ...(part === 'on' ? on : guardOf(part)) };
  return list;
}

function guardOf(part: string): GuardList {
  const [, name = '', value] = /^([a-z-]+)(?:=(.+))?$/.exec(part) ?? [];
  if (name === 'marker') {
    const marker = value ?? OWN_NAMES.guard;
    if (!marker.split('/').some((each) => ['', '.', '..'].includes(each))) return { marker };
    throw new SyncerError('usage', `--guard: "marker=${value}" is not a path below the source`);
  }
  if (value !== undefined && (name === 'percent' || name === 'count')) {
    if ((name === 'count' ? /^\d+$/ : /^\d+(\.\d+)?$/).test(value))
      return { [name]: Number(value) };
    throw new SyncerError('usage', `--guard: "${part}" needs a number, as in percent=20`);
  }
  if (value === undefined && FORMS[name as GuardName] === name) return { [name]: true };
  const names = ['on', 'off', ...Object.values(FORMS)].join(', ');
  throw new SyncerError('usage', `--guard: no guard "${part}" (use ${names})`);
}

/** The list as the value of `--guard`. */
export function formatGuards(list: GuardList): string {
  const parts = (Object.keys(FORMS) as GuardName[]).flatMap((name) => {
    const value = list[name];
    if (value === undefined) return [];
    return value === true || value === OWN_NAMES.guard ? name : `${name}=${value}`;
  });
  return parts.join(',') || 'off';
}
