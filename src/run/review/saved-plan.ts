import { defined } from '../../core/defined.ts';
import { SyncerError } from '../../core/errors.ts';
import { jsonObject } from '../../core/json-object.ts';
import { formatRfc3339NanoUtc, parseRfc3339 } from '../../core/mod-time.ts';
import type { Print } from '../../core/same-content.ts';
import type { Keep } from '../../engine/approval.ts';
import type { PlanChoice } from './plan-approval.ts';
import { CHANGE_KINDS, changeKey, type PlannedChange } from './planned-change.ts';

/** A plan in a file, to be read by people and applied later. */
export interface SavedPlan extends Required<PlanChoice> {
  /** The words after the program's name, without the flags of the review. They hold no secrets. */
  readonly words: readonly string[];
  /** The working directory, for relative paths among the words. */
  readonly dir: string;
  /** When it was saved, in milliseconds since the epoch. */
  readonly savedMs: number;
}

const FORMAT = 'syncer plan';
const VERSION = 1;

/** A saved plan as JSON, one change per line, so that two plans can be compared line by line. */
export function formatPlan({ words, dir, savedMs, plan, chosen, keeps }: SavedPlan): string {
  const saved = new Date(savedMs).toISOString();
  const head = { format: FORMAT, version: VERSION, saved, command: words, directory: dir };
  const changes = [...plan.values()].map((change) => {
    const { kind, path, from, side, size, reason, source, dest, toPath } = change;
    // In JSON, what is undefined is absent.
    return JSON.stringify({
      kind,
      path,
      from,
      side,
      size: size < 0 ? undefined : size,
      reason,
      source: source && printRecord(source),
      dest: dest && printRecord(dest),
      toPath,
      keep: keeps.get(change),
      excluded: chosen.has(change) ? undefined : true,
    });
  });
  const text = JSON.stringify(head, undefined, 2).replace(/\n\}$/, ',');
  const list = changes.length === 0 ? '[]' : `[\n    ${changes.join(',\n    ')}\n  ]`;
  return `${text}\n  "changes": ${list}\n}\n`;
}

/** Reads what `formatPlan` writes. Throws `usage` for anything else; `path` names the file. */
export function parsePlan(text: string, path: string): SavedPlan {
  const advice = 'save one with --save FILE';
  const fault = (why: string) =>
    new SyncerError('usage', `${path} is not a plan: ${why}`, { advice });
  const root = jsonObject<Record<string, unknown>>(text);
  if (root?.['format'] !== FORMAT) throw fault(`it does not say "format": "${FORMAT}"`);
  if (root['version'] !== VERSION) throw fault('it was saved by another version of syncer');
  const { command, directory, saved, changes } = root;
  const savedMs = Date.parse(String(saved));
  const isWords = Array.isArray(command) && command.every((word) => typeof word === 'string');
  if (!isWords || typeof directory !== 'string' || Number.isNaN(savedMs)) {
    throw fault('its command, directory or time is missing');
  }
  if (!Array.isArray(changes)) throw fault('its changes are missing');
  const plan = new Map<string, PlannedChange>();
  const chosen = new Set<PlannedChange>();
  const keeps = new Map<PlannedChange, Keep>();
  for (const [at, record] of changes.entries()) {
    const read = readChange(record as Record<string, unknown> | null);
    const key = read && changeKey(read.change);
    if (read === undefined || key === undefined || plan.has(key))
      throw fault(`change ${at + 1} is wrong`);
    plan.set(key, read.change);
    if (!read.isExcluded) chosen.add(read.change);
    if (read.keep !== undefined) keeps.set(read.change, read.keep);
  }
  return { words: command, dir: directory, savedMs, plan, chosen, keeps };
}

function printRecord({ size, modTime, etag }: Print): object {
  return { size, modTime: modTime === undefined ? undefined : formatRfc3339NanoUtc(modTime), etag };
}

function readChange(
  record: Record<string, unknown> | null,
): { change: PlannedChange; isExcluded: boolean; keep: Keep | undefined } | undefined {
  const { kind, path, reason, size = -1 } = record ?? {};
  const { from, side, excluded = false, toPath, keep } = record ?? {};
  const texts = [path, reason, from ?? path];
  if (!texts.every((text) => typeof text === 'string') || typeof kind !== 'string') return;
  if (!Object.hasOwn(CHANGE_KINDS, kind) || (side !== undefined && side !== 'source')) return;
  if (!Number.isSafeInteger(size) || typeof excluded !== 'boolean') return;
  if (toPath !== undefined && toPath !== 1 && toPath !== 2) return;
  const isKeep = keep === undefined || keep === 'path1' || keep === 'path2' || keep === 'both';
  if (!isKeep || (keep !== undefined && kind !== 'conflict')) return;
  const [source, dest] = [record?.['source'], record?.['dest']].map(readPrint);
  if (source === null || dest === null) return;
  const change: PlannedChange = {
    kind: kind as PlannedChange['kind'],
    path: path as string,
    size: size as number,
    reason: reason as string,
    isDir: kind === 'make-dir' || kind === 'remove-dir',
    ...defined({ from: from as string | undefined, side, source, dest, toPath }),
  };
  return { change, isExcluded: excluded, keep };
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
  return { size: size as number, ...defined({ modTime, etag: etag as string | undefined }) };
}
