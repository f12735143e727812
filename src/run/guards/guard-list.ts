import { SyncerError } from '../../core/errors.ts';
import { OWN_NAMES } from '../../core/own-names.ts';

/** What a run looks at before it deletes anything (`--guard`). */
export interface GuardList {
  /** The source has no files, and the destination has. */
  readonly empty?: boolean;
  /** The most files of the destination that may be deleted, in percent. */
  readonly percent?: number;
  /** The most files that may be deleted. */
  readonly count?: number;
  /** The source is on the file system on which it was in the last good run. */
  readonly sameDevice?: boolean;
  /** A file that must be at the source: `.syncer-guard`, or one of the user's. */
  readonly marker?: string;
  /** The last good runs did not go the other way. */
  readonly swapped?: boolean;
  /** No file that `scrub` found suspect replaces another one. */
  readonly suspect?: boolean;
  /** The destination is not `/`, the home directory, and does not hold the configuration. */
  readonly home?: boolean;
}

/** The guards of `--guard on`. */
const ON: GuardList = { empty: true, percent: 50, count: 1000, sameDevice: true, swapped: true };

const NAMES =
  'on, off, percent=N, count=N, empty, same-device, marker[=NAME], swapped, suspect, home';

/** Parses `--guard`: `on`, `off`, or names with commas between them. Throws `usage`. */
export function parseGuards(text: string): GuardList {
  return text.split(',').reduce<GuardList>((list, part) => addGuard(list, part.trim()), {});
}

function addGuard(list: GuardList, part: string): GuardList {
  const [, name, value] = /^([a-z-]+)(?:=(.+))?$/.exec(part) ?? [];
  switch (value === undefined ? name : `${name}=`) {
    case 'on':
      return { ...list, ...ON };
    case 'off':
      return {};
    case 'empty':
      return { ...list, empty: true };
    case 'same-device':
      return { ...list, sameDevice: true };
    case 'swapped':
      return { ...list, swapped: true };
    case 'suspect':
      return { ...list, suspect: true };
    case 'home':
      return { ...list, home: true };
    case 'marker':
      return { ...list, marker: OWN_NAMES.guard };
    case 'marker=':
      return { ...list, marker: markerPath(value ?? '') };
    case 'percent=':
      return { ...list, percent: limit(part, value ?? '', /^\d+(\.\d+)?$/) };
    case 'count=':
      return { ...list, count: limit(part, value ?? '', /^\d+$/) };
    default:
      throw new SyncerError('usage', `--guard: no guard "${part}" (use ${NAMES})`);
  }
}

function limit(part: string, value: string, form: RegExp): number {
  if (form.test(value)) return Number(value);
  throw new SyncerError('usage', `--guard: "${part}" needs a number, as in percent=20`);
}

function markerPath(value: string): string {
  if (!value.split('/').some((name) => name === '' || name === '.' || name === '..')) return value;
  throw new SyncerError('usage', `--guard: "marker=${value}" is not a path below the source`);
}

/** The list as the value of `--guard`. */
export function formatGuards(list: GuardList): string {
  const { empty, percent, count, sameDevice, marker, swapped, suspect, home } = list;
  const parts = [
    empty && 'empty',
    percent !== undefined && `percent=${percent}`,
    count !== undefined && `count=${count}`,
    sameDevice && 'same-device',
    marker !== undefined && (marker === OWN_NAMES.guard ? 'marker' : `marker=${marker}`),
    swapped && 'swapped',
    suspect && 'suspect',
    home && 'home',
  ];
  return parts.filter(Boolean).join(',') || 'off';
}
