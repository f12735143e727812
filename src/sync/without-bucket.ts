import { SyncerError } from '../core/errors.ts';
import type { Remote } from '../core/remote.ts';
import { counted } from '../kit/counted.ts';

/** Whether the directories at the root are buckets, so that there can be no files. */
export function hasBuckets({ traits, root }: Remote): boolean {
  return traits.bucketBased && root === '';
}

/** The error of files at the top of the source, which have no bucket there. */
export function noBucket({ name }: Remote, files: number): SyncerError {
  const remote = name === '' || name.startsWith(':') ? 'remote' : name;
  const text = `${counted(files, 'file')} at the top of the source not transferred: ${remote}: holds buckets, not files`;
  return new SyncerError('name-invalid', text, {
    advice: `name a bucket, such as ${remote}:bucket`,
  });
}
