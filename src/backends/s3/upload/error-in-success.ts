import { SyncerError } from '../../../core/errors.ts';
import type { Location } from '../store.ts';
import { readErrorXml, StoreError } from '../store-error.ts';

/** The error that stands in the body of an answer with status 200. */
export async function errorInSuccess(body: string, at: Location): Promise<SyncerError> {
  const where = `${at.bucket}/${at.key}`;
  const error = await readErrorXml(body);
  if (error === undefined) {
    return new SyncerError('bad-answer', `cannot write ${where}: the answer makes no sense`);
  }
  return new StoreError(
    { status: 200, s3Code: error.code, message: error.message },
    'write',
    where,
  );
}
