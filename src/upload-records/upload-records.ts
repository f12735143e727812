import { hash, randomBytes } from 'node:crypto';
import {
  closeSync,
  constants,
  openSync,
  readdirSync,
  renameSync,
  rmdirSync,
  statSync,
  unlinkSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import {
  KEPT_DAYS,
  type RecordedPart,
  type UploadHead,
  type UploadRecord,
  type UploadRecords,
} from '../core/upload-records.ts';
import { makeFolderSync } from '../files/make-folder.ts';
import { readRegularFileSync } from '../files/read-whole.ts';
import { machineBoot, ownerState, ownMark } from '../kit/owner-state.ts';

const DAY_MS = 86_400_000;

/** In the name of a record that no process has. */
const FREE = 'free';

/** The first line of a record. */
interface FirstLine extends UploadHead {
  readonly machine: string;
  readonly boot: string;
}

/**
 * The records in a directory, each in a file `<place>.<owner>.<random>.jsonl` that only the user can read. Taking one
 * over is a rename, so that only one process succeeds.
 */
export function openUploadRecords(folder: string, now: () => number): UploadRecords {
  const mine = ownMark();

  const takeIf = (begin: string, mayTake: (record: OnDisk) => boolean): UploadRecord[] => {
    const found = namesIn(folder, begin).flatMap((name) => readRecord(folder, name) ?? []);
    const free = found.filter((record) => hasNoOwner(record, now()) && mayTake(record));
    free.sort((a, b) => b.touchedMs - a.touchedMs);
    return free.flatMap((record) => {
      const [place = ''] = record.name.split('.');
      const own = join(folder, fileName(place, mine));
      const isTaken = succeeds(() => renameSync(join(folder, record.name), own));
      return isTaken ? [recordAt(own, record.head, record.parts)] : [];
    });
  };

  return {
    list: (store) =>
      namesIn(folder, '')
        .flatMap((name) => readRecord(folder, name) ?? [])
        .filter(({ head }) => store === undefined || head.store === store)
        .map((record) => ({ ...record, isRunning: !hasNoOwner(record, now()) })),
    take: (store, path) =>
      takeIf(`${placeOf(store, path)}.`, ({ head }) => head.store === store && head.path === path),
    takeOld: (store) =>
      takeIf('', ({ head, touchedMs }) => {
        return head.store === store && touchedMs < now() - KEPT_DAYS * DAY_MS;
      }),
    create(head) {
      const path = join(folder, fileName(placeOf(head.store, head.path), mine));
      const first: FirstLine = { ...head, ...machineBoot() };
      succeeds(() => {
        makeFolderSync(folder, 0o700);
        writeFileSync(path, `${JSON.stringify(first)}\n`, { flag: 'wx', mode: 0o600 });
      });
      return recordAt(path, head, []);
    },
  };
}

function recordAt(path: string, head: UploadHead, parts: readonly RecordedPart[]): UploadRecord {
  return {
    head,
    parts,
    add: (part) => {
      succeeds(() => {
        // Never created: a part without the first line, or in another process's record, does not help.
        const descriptor = openSync(path, constants.O_WRONLY | constants.O_APPEND);
        try {
          writeSync(descriptor, `${JSON.stringify(part)}\n`);
        } finally {
          closeSync(descriptor);
        }
      });
    },
    release: () => {
      const [place = ''] = basename(path).split('.');
      return succeeds(() => renameSync(path, join(dirname(path), fileName(place, FREE))));
    },
    delete: () => {
      succeeds(() => unlinkSync(path));
      // With the last record: the next run then sees immediately that there are none.
      succeeds(() => rmdirSync(dirname(path)));
    },
  };
}

/** A record as it was read. */
interface OnDisk {
  readonly name: string;
  readonly head: FirstLine;
  readonly parts: readonly RecordedPart[];
  readonly touchedMs: number;
}

/** `undefined` if it has gone or its first line is not whole; other lines that are not whole are skipped. */
function readRecord(folder: string, name: string): OnDisk | undefined {
  const path = join(folder, name);
  try {
    const touchedMs = statSync(path).mtimeMs;
    const [first, ...rest] = readRegularFileSync(path).toString().split('\n').map(parsed);
    if (!isFirst(first)) return undefined;
    return { name, head: first, parts: rest.filter(isPart), touchedMs };
  } catch {
    return undefined;
  }
}

function parsed(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}

function isFirst(value: unknown): value is FirstLine {
  const has = (name: string, type: 'string' | 'number') => typeof field(value, name) === type;
  const texts = ['store', 'path', 'id', 'source', 'options', 'machine', 'boot'];
  return texts.every((name) => has(name, 'string')) && has('partSize', 'number');
}

function isPart(value: unknown): value is RecordedPart {
  const [number, size, etag] = ['number', 'size', 'etag'].map((name) => field(value, name));
  return Number.isSafeInteger(number) && Number.isSafeInteger(size) && typeof etag === 'string';
}

function field(value: unknown, name: string): unknown {
  return (value as Readonly<Record<string, unknown>> | undefined | null)?.[name];
}

/**
 * Whether the process of a record has ended. On another machine or in another container that is unknown: a record
 * counts as left behind if nothing was added for a day.
 */
function hasNoOwner({ name, head, touchedMs }: OnDisk, nowMs: number): boolean {
  const [, owner = ''] = name.split('.');
  if (owner === FREE) return true;
  const state = ownerState(owner);
  if (state !== 'elsewhere') return state === 'dead';
  const { machine, boot } = machineBoot();
  const isOfEarlierBoot = head.machine === machine && head.boot !== boot;
  return isOfEarlierBoot || touchedMs < nowMs - DAY_MS;
}

function namesIn(folder: string, begin: string): string[] {
  let names: string[] = [];
  succeeds(() => {
    names = readdirSync(folder).filter((name) => name.startsWith(begin) && name.endsWith('.jsonl'));
  });
  return names;
}

function placeOf(store: string, path: string): string {
  return hash('sha256', `${store}\n${path}`, 'hex').slice(0, 32);
}

function fileName(place: string, owner: string): string {
  return `${place}.${owner}.${randomBytes(6).toString('hex')}.jsonl`;
}

/** Whether it succeeded. What fails costs a resume, and nothing else. */
function succeeds(action: () => void): boolean {
  try {
    action();
    return true;
  } catch {
    return false;
  }
}
