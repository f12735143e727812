import { readdirSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { stateDir } from '../../config/config-path.ts';
import type { Context } from '../../core/context.ts';
import { once } from '../../core/once.ts';
import type { UploadRecordsAccess } from '../../core/upload-records.ts';
import { logText } from '../../shell/log/log-text.ts';
import type { Stores } from '../../state/stores.ts';
import type { RecordKind } from '../../state/uploads.ts';

/** Less is sent again: to look for it costs requests, and to keep it money. In bytes. */
const RESUMED_FROM = 64 << 20;

/** Where transfers that were interrupted are recorded; absent: nowhere. */
export interface TransferRecords {
  readonly uploads?: UploadRecordsAccess;
  readonly downloads?: UploadRecordsAccess;
}

/** The records of unfinished transfers, in the state; none for a user without a home. */
export function transferRecords(
  context: Pick<Context, 'clock' | 'emit'>,
  env: NodeJS.ProcessEnv,
  stores: Stores | undefined,
): TransferRecords {
  const dir = stateDir(env);
  if (dir === undefined || stores === undefined) return {};
  const recordsOf = (kind: RecordKind): UploadRecordsAccess => ({
    from: RESUMED_FROM,
    open: once(async () => {
      nameEarlier(join(dir, `${kind}s`), kind, context);
      const { uploadRecords } = await import('../../state/uploads.ts');
      return uploadRecords(kind, stores, () => context.clock.now());
    }),
  });
  return { uploads: recordsOf('upload'), downloads: recordsOf('download') };
}

/** Names the records of a version that had a file for each, once: they are moved aside. */
function nameEarlier(directory: string, kind: RecordKind, { emit }: Pick<Context, 'emit'>): void {
  const aside = `${directory}.earlier`;
  try {
    if (!readdirSync(directory).some((name) => name.endsWith('.jsonl'))) return;
    renameSync(directory, aside);
  } catch {
    return;
  }
  const text = `Unfinished ${kind}s of an earlier version are not resumed; their records are now in ${aside}`;
  const end =
    kind === 'upload'
      ? '"syncer uploads ls remote:bucket" lists what a server keeps of them'
      : '"syncer cleanup" deletes the files below a directory that they left';
  emit(logText('notice', `${text}; ${end}`));
}
