import { S3Error } from '../wire/s3-error.ts';

/** Throws `InvalidArgument` for an empty version id, as Amazon does. */
export function checkVersionId(versionId: string | undefined): void {
  if (versionId !== '') return;
  throw new S3Error('InvalidArgument', { message: 'Version id cannot be the empty string' });
}
