import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { stateDir } from '../../config/config-path.ts';
import type { Context } from '../../core/context.ts';
import type { UploadRecordsAccess } from '../../core/upload-records.ts';
import { once } from '../../kit/used-again.ts';

/** Less is sent again: to look for it costs requests, and to keep it money. In bytes. */
const RESUMED_FROM = 64 << 20;

/** The records of unfinished transfers, in the state directory; none for a user without a home. */
export function transferRecords(
  { clock }: Pick<Context, 'clock'>,
  env: NodeJS.ProcessEnv,
): { readonly uploads?: UploadRecordsAccess; readonly downloads?: UploadRecordsAccess } {
  const state = stateDir(env);
  if (state === undefined) return {};
  const now = () => clock.now();
  return {
    uploads: recordsIn(join(state, 'uploads'), now),
    downloads: recordsIn(join(state, 'downloads'), now),
  };
}

function recordsIn(folder: string, now: () => number): UploadRecordsAccess {
  return {
    from: RESUMED_FROM,
    any: () => existsSync(folder),
    open: once(async () => {
      const { openUploadRecords } = await import('../../upload-records/upload-records.ts');
      return openUploadRecords(folder, now);
    }),
  };
}
