import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import type { BucketFolder } from './bucket-folder.ts';
import { HIDDEN } from './key-to-file.ts';
import type { DefaultRetention } from './object-lock.ts';

/** What is set for a bucket as a whole. */
export interface BucketSettings {
  readonly versioning?: 'Enabled' | 'Suspended';
  /** Versions can be locked; once there, it stays. */
  readonly objectLock?: { readonly rule?: DefaultRetention };
  /** Documents as they came, by subresource (`cors`, `tagging`). */
  readonly documents?: Readonly<Record<string, string>>;
}

/** Reads the settings of a bucket; one that never had any has none. */
export function readSettings(folder: BucketFolder): BucketSettings {
  try {
    return JSON.parse(readFileSync(folder.at(`${HIDDEN}/bucket.json`), 'utf8'));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return {};
    throw error;
  }
}

/** Replaces the settings of a bucket at once. */
export function writeSettings(folder: BucketFolder, settings: BucketSettings): void {
  const file = folder.hidden('', 'bucket.json');
  writeFileSync(folder.at(`${file}.new`), JSON.stringify(settings), { mode: 0o600 });
  renameSync(folder.at(`${file}.new`), folder.at(file));
}
