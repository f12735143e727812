import type { UploadRecordsAccess } from '../../src/core/upload-records.ts';
import { Stores } from '../../src/state/stores.ts';
import { type RecordKind, uploadRecords } from '../../src/state/uploads.ts';
import { stateRows } from './state-rows.ts';

/** How a test records transfers. */
export interface RecordsInTest {
  readonly kind?: RecordKind;
  readonly now?: (() => number) | undefined;
  /** In bytes; by default 20 MiB, so that tests send little. */
  readonly from?: number;
}

/** The records of unfinished uploads in the state in a folder. */
export function uploadRecordsIn(
  folder: string,
  { kind = 'upload', now = Date.now, from = 20 << 20 }: RecordsInTest = {},
): UploadRecordsAccess {
  const stores = new Stores({ state: folder, cache: undefined }, () => {}, now);
  return { from, open: async () => uploadRecords(kind, stores, now) };
}

/** The rows of the records in the state in a folder. */
export const recordRows = (folder: string) => stateRows(folder, 'SELECT * FROM uploads');
