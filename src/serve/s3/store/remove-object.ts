import { linkSync, unlinkSync } from 'node:fs';
import { parentPath } from '../../../core/remote-path.ts';
import type { Bucket } from './bucket.ts';
import { HIDDEN } from './bucket-folder.ts';
import { placeFile } from './commit-object.ts';
import { lookUp } from './find-object.ts';
import { type ObjectRecord, type OldVersion, versionIdOf } from './object-record.ts';
import { keepOldVersion, newVersionId, replaceHistory } from './versions.ts';

/** The version that was deleted, or the new delete marker; whether that version is a delete marker. */
export type Removed = { readonly versionId?: string; readonly marker?: boolean };

/** Deletes the current object of a key; a missing one is no error. With versioning it becomes an old version. */
export function removeObject(bucket: Bucket, key: string): Removed {
  bucket.mustExist();
  const found = lookUp(bucket, key);
  const versionId = newVersionId(bucket);
  if (versionId === undefined) {
    if (found !== undefined) removeCurrent(bucket, key);
    return {};
  }
  const marker: OldVersion = { marker: true, versionId, modified: Date.now() };
  const old = keepOldVersion(bucket, key, marker);
  bucket.record(...old.lines);
  if (found !== undefined) removeCurrent(bucket, key);
  old.done();
  return { versionId, marker: true };
}

/** Deletes one version of a key permanently; if it is the current one, the one before it is restored. */
export function removeVersion(bucket: Bucket, key: string, versionId: string): Removed {
  bucket.mustExist();
  const found = lookUp(bucket, key);
  const history = bucket.history.get(key) ?? [];
  const current = found !== undefined && 'key' in found ? versionIdOf(found) : 'null';
  if (found !== undefined && current === versionId) {
    const [next] = history;
    if (next === undefined || next.marker) removeCurrent(bucket, key);
    else bringBack(bucket, key, next.record, history);
    return { versionId };
  }
  const version = history.find((each) => each.versionId === versionId);
  if (version === undefined) return { versionId };
  const rest = history.filter((each) => each !== version);
  const [latest] = rest;
  if (version.marker && version === history[0] && found === undefined && latest && !latest.marker) {
    bringBack(bucket, key, latest.record, rest);
  } else {
    replaceHistory(bucket, key, rest, [version]);
  }
  return version.marker ? { versionId, marker: true } : { versionId };
}

/** Makes the newest old version the current one again. `history` starts with it. */
function bringBack(bucket: Bucket, key: string, old: ObjectRecord, history: readonly OldVersion[]) {
  const temporary = bucket.folder.temporary();
  linkSync(bucket.folder.at(old.file), bucket.folder.at(temporary));
  placeFile(bucket, key, temporary, [], (file) => ({ ...old, file }));
  replaceHistory(bucket, key, history.slice(1), history.slice(0, 1));
}

/** Deletes the file of the current object, and the directories that become empty. */
function removeCurrent(bucket: Bucket, key: string): void {
  const { index, folder } = bucket;
  const file = index.fileOf(key);
  try {
    unlinkSync(folder.at(file));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
  bucket.record({ del: key });
  index.remove(key);
  for (let dir = parentPath(file); dir !== '' && !dir.startsWith(HIDDEN); dir = parentPath(dir)) {
    if (index.hasKeysIn(dir)) return;
    try {
      folder.removeFolder(dir);
    } catch {
      return;
    }
    index.folders.delete(dir);
  }
}
