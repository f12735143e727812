import type { ListedRecord, UploadRecordsAccess } from '../core/upload-records.ts';
import { formatSizeUnit } from '../go/byte-size.ts';
import { shellWord } from '../kit/shell-words.ts';
import { type CheckResult, ok, warning } from './check.ts';

/** Where interrupted transfers are recorded. */
export interface UnfinishedPlaces {
  readonly uploads?: UploadRecordsAccess;
  readonly downloads?: UploadRecordsAccess;
  /** The name of the remote with this `storeId`; `undefined` if none of the configuration has it. */
  readonly remoteOf: (store: string) => Promise<string | undefined>;
}

const RESUMED = 'the next run of the same command resumes it';

/** Uploads and downloads of ended processes, with what the service or the disk keeps of them. */
export async function* unfinishedChecks({
  uploads,
  downloads,
  remoteOf,
}: UnfinishedPlaces): AsyncGenerator<CheckResult> {
  const check = 'unfinished-transfers';
  let isOk = true;
  for (const record of await left(uploads)) {
    isOk = false;
    const { store, path } = record.head;
    const name = await remoteOf(store);
    if (name === undefined) {
      yield warning(check, `${storedOf(record)} for ${path} of a remote that is not configured`);
      continue;
    }
    const place = `${name}:${path}`;
    const mend = `syncer uploads abort ${shellWord(place)}`;
    yield warning(check, `${storedOf(record)} for ${place}: ${RESUMED}`, mend);
  }
  for (const record of await left(downloads)) {
    isOk = false;
    const { id, path } = record.head;
    yield warning(check, `${storedOf(record)} for ${path}: ${RESUMED}`, `rm ${shellWord(id)}`);
  }
  if (isOk) yield ok(check, 'none');
}

async function left(access: UploadRecordsAccess | undefined): Promise<readonly ListedRecord[]> {
  if (access?.any() !== true) return [];
  return (await access.open()).list().filter(({ isRunning }) => !isRunning);
}

function storedOf({ head, parts }: ListedRecord): string {
  const stored = parts.reduce((sum, { size }) => sum + size, 0);
  return `${formatSizeUnit(stored)} of ${formatSizeUnit(head.size)} are kept`;
}
