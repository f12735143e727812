import { SyncerError } from '../core/errors.ts';
import { formatRfc3339NanoUtc, parseRfc3339 } from '../core/mod-time.ts';
import type { Plan } from './plan.ts';
import { KIND_LETTERS, type PlannedChange, type Print } from './planned-change.ts';

/** A plan in a file, to be read by people and applied later. */
export interface SavedPlan {
  /** The words after the program's name, without the flags of the review. They hold no secrets. */
  readonly words: readonly string[];
  /** The working directory, for relative paths among the words. */
  readonly dir: string;
  /** When it was saved, in milliseconds since the epoch. */
  readonly savedMs: number;
  readonly plan: Plan;
  /** What is to be done of it. */
  readonly chosen: ReadonlySet<PlannedChange>;
}

const FORMAT = 'syncer plan';
const VERSION = 1;

/** A saved plan as JSON, one change per line, so that two plans can be compared line by line. */
export function formatPlan({ words, dir, savedMs, plan, chosen }: SavedPlan): string {
  const saved = new Date(savedMs).toISOString();
  const head = { format: FORMAT, version: VERSION, saved, command: words, directory: dir };
  const changes = [...plan].map(([key, change]) =>
    JSON.stringify({
      ...changeRecord(key, change),
      ...(chosen.has(change) ? {} : { excluded: true }),
    }),
  );
  const text = JSON.stringify(head, undefined, 2).replace(/\n\}$/, ',');
  const list = changes.length === 0 ? '[]' : `[\n    ${changes.join(',\n    ')}\n  ]`;
  return `${text}\n  "changes": ${list}\n}\n`;
}

/** Reads what `formatPlan` writes. Throws `usage` for anything else; `path` names the file. */
export function parsePlan(text: string, path: string): SavedPlan {
  const fault = (why: string) => new SyncerError('usage', `${path} is not a plan: ${why}`);
  const root = readJson(text);
  if (root?.['format'] !== FORMAT) throw fault(`it does not say "format": "${FORMAT}"`);
  if (root['version'] !== VERSION) throw fault('it was saved by another version of syncer');
  const { command, directory, saved, changes } = root;
  const savedMs = Date.parse(String(saved));
  if (!isWords(command) || typeof directory !== 'string' || Number.isNaN(savedMs)) {
    throw fault('its command, directory or time is missing');
  }
  if (!Array.isArray(changes)) throw fault('its changes are missing');
  const plan = new Map<string, PlannedChange>();
  const chosen = new Set<PlannedChange>();
  for (const [at, record] of changes.entries()) {
    const read = readChange(record as Record<string, unknown> | null);
    if (read === undefined || plan.has(read.key)) throw fault(`change ${at + 1} is wrong`);
    plan.set(read.key, read.change);
    if (!read.isExcluded) chosen.add(read.change);
  }
  return { words: command, dir: directory, savedMs, plan, chosen };
}

function changeRecord(key: string, change: PlannedChange): object {
  const { kind, path, size, reason, source, dest } = change;
  const [action, side, about] = key.split('\0');
  return {
    kind,
    path,
    ...(about === path ? {} : { from: about }),
    action,
    ...(side === 'dest' ? {} : { side }),
    ...(size < 0 ? {} : { size }),
    reason,
    ...(source === undefined ? {} : { source: printRecord(source) }),
    ...(dest === undefined ? {} : { dest: printRecord(dest) }),
  };
}

function printRecord({ size, modTime, etag }: Print): object {
  return { size, modTime: modTime === undefined ? undefined : formatRfc3339NanoUtc(modTime), etag };
}

function readChange(
  record: Record<string, unknown> | null,
): { key: string; change: PlannedChange; isExcluded: boolean } | undefined {
  const { kind, path, action, reason, size = -1 } = record ?? {};
  const { from: about = path, side = 'dest', excluded = false } = record ?? {};
  const texts = [path, action, reason, about, side];
  if (!texts.every((text) => typeof text === 'string') || typeof kind !== 'string') return;
  if (!Object.hasOwn(KIND_LETTERS, kind) || (side !== 'dest' && side !== 'source')) return;
  if (!Number.isSafeInteger(size) || typeof excluded !== 'boolean') return;
  const prints = [record?.['source'], record?.['dest']].map(readPrint);
  const [source, dest] = prints;
  if (source === null || dest === null) return;
  const key = [action, side, about, ...(about === path ? [] : [path])].join('\0');
  const change: PlannedChange = {
    kind: kind as PlannedChange['kind'],
    path: path as string,
    size: size as number,
    reason: reason as string,
    isDir: kind === 'make-dir' || kind === 'remove-dir',
    ...(source === undefined ? {} : { source }),
    ...(dest === undefined ? {} : { dest }),
  };
  return { key, change, isExcluded: excluded };
}

/** `undefined` where there is none, `null` where it is wrong. */
function readPrint(record: unknown): Print | null | undefined {
  if (record === undefined) return undefined;
  const { size, modTime: shown, etag } = (record ?? {}) as Record<string, unknown>;
  const modTime = typeof shown === 'string' ? parseRfc3339(shown) : undefined;
  const isRight =
    Number.isSafeInteger(size) &&
    (shown === undefined || modTime !== undefined) &&
    (etag === undefined || typeof etag === 'string');
  if (!isRight) return null;
  return {
    size: size as number,
    ...(modTime === undefined ? {} : { modTime }),
    ...(etag === undefined ? {} : { etag: etag as string }),
  };
}

function readJson(text: string): Record<string, unknown> | undefined {
  try {
    return JSON.parse(text) as Record<string, unknown>;
  } catch {
    return undefined;
  }
}

function isWords(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((word) => typeof word === 'string');
}
