import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { stateDir } from '../../config/config-path.ts';
import type { Context } from '../../core/context.ts';
import type { UploadRecordsAccess } from '../../core/upload-records.ts';
import { once } from '../../kit/used-again.ts';

/** Less is sent again: to look for it costs requests, and to keep it money. In bytes. */
const RESUMED_FROM = 64 << 20;

/** The records of unfinished uploads, in the state directory; `undefined` for a user without a home. */
export function uploadRecords(
  { clock }: Pick<Context, 'clock'>,
  env: NodeJS.ProcessEnv,
): UploadRecordsAccess | undefined {
  const state = stateDir(env);
  if (state === undefined) return undefined;
  const folder = join(state, 'uploads');
  return {
    from: RESUMED_FROM,
    any: () => existsSync(folder),
    open: once(async () => {
      const { openUploadRecords } = await import('../../upload-records/upload-records.ts');
      return openUploadRecords(folder, () => clock.now());
    }),
  };
}
