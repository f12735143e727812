import { existsSync } from 'node:fs';
import type { UploadRecordsAccess } from '../../src/core/upload-records.ts';
import { openUploadRecords } from '../../src/upload-records/upload-records.ts';

/** The records of unfinished uploads in a folder; by default of 20 MiB and more, so that tests send little. */
export function uploadRecordsIn(
  folder: string,
  now: () => number = Date.now,
  from = 20 << 20,
): UploadRecordsAccess {
  return {
    from,
    any: () => existsSync(folder),
    open: async () => openUploadRecords(folder, now),
  };
}
