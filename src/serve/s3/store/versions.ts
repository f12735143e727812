import { randomBytes } from 'node:crypto';
import { linkSync } from 'node:fs';
import type { Bucket } from './bucket.ts';
import { HIDDEN } from './bucket-folder.ts';
import { type LogLine, type OldVersion, versionIdOf } from './object-record.ts';

/** The id of a new version; `undefined` if the bucket keeps no versions. */
export function newVersionId(bucket: Bucket): string | undefined {
  const { versioning } = bucket.settings;
  if (versioning === undefined) return undefined;
  if (versioning === 'Suspended') return 'null';
  return Date.now().toString(36).padStart(9, '0') + randomBytes(8).toString('hex');
}

/** A change of old versions: `lines` go to the log before the file of the key changes, `done` is called after that. */
type HistoryChange = { readonly lines: readonly LogLine[]; done(): void };

const NO_CHANGE: HistoryChange = { lines: [], done: () => {} };

/** Keeps the current object, about to be replaced or deleted, by a second name; with a delete `marker` on top of it. */
export function keepOldVersion(bucket: Bucket, key: string, marker?: OldVersion): HistoryChange {
  const { versioning } = bucket.settings;
  if (versioning === undefined) return NO_CHANGE;
  const before = bucket.history.get(key) ?? [];
  const replacesNull = versioning === 'Suspended';
  const kept = before.filter((version) => !(replacesNull && version.versionId === 'null'));
  const dropped = before.filter((version) => !kept.includes(version));
  const current = bucket.index.keys.has(key) ? bucket.index.records.get(key) : undefined;
  if (current !== undefined && !(replacesNull && versionIdOf(current) === 'null')) {
    const file = bucket.folder.hidden('versions', randomBytes(12).toString('hex'));
    linkSync(bucket.folder.at(current.file), bucket.folder.at(file));
    kept.unshift({ versionId: versionIdOf(current), record: { ...current, file } });
  }
  if (marker !== undefined) kept.unshift(marker);
  return historyChange(bucket, key, kept, dropped);
}

/** Replaces the old versions of a key; the files of `dropped` are deleted after the change. */
function historyChange(
  bucket: Bucket,
  key: string,
  versions: readonly OldVersion[],
  dropped: readonly OldVersion[],
): HistoryChange {
  if (versions.length === 0 && dropped.length === 0) return NO_CHANGE;
  return {
    lines: [{ old: key, versions }],
    done() {
      if (versions.length === 0) bucket.history.delete(key);
      else bucket.history.set(key, versions);
      for (const version of dropped) {
        if (!version.marker) bucket.folder.remove(version.record.file);
      }
    },
  };
}

/** Replaces the old versions of a key, whose current one stays, and deletes the files of `dropped`. */
export function replaceHistory(
  bucket: Bucket,
  key: string,
  versions: readonly OldVersion[],
  dropped: readonly OldVersion[],
): void {
  const change = historyChange(bucket, key, versions, dropped);
  bucket.record(...change.lines);
  change.done();
}

/** Makes the old versions in the log match the files, after a start. */
export function adoptHistory(bucket: Bucket, logIntact: boolean): void {
  const { folder, history, index } = bucket;
  const files = new Set<string>();
  for (const [key, versions] of [...history]) {
    const current = index.keys.has(key) ? index.records.get(key) : undefined;
    const kept = versions.filter((version) => {
      if (version.marker) return true;
      // The server was interrupted before the version that was to become old was replaced.
      if (current !== undefined && versionIdOf(current) === version.versionId) return false;
      return folder.fileAt(version.record.file) !== undefined;
    });
    for (const version of kept) if (!version.marker) files.add(version.record.file);
    if (kept.length === 0) history.delete(key);
    else history.set(key, kept);
  }
  // If a line of the log could not be read, a file without a line may still be needed.
  if (bucket.readOnly || !logIntact) return;
  for (const name of folder.read(`${HIDDEN}/versions`).files) {
    const file = `${HIDDEN}/versions/${name}`;
    if (!files.has(file)) folder.remove(file);
  }
}
