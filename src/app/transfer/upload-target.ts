import { modTimeIn } from '../../core/entry-details.ts';
import type { ModTime } from '../../core/mod-time.ts';
import type { Invocation } from '../command.ts';
import type { InputTarget } from './input-source.ts';
import { keepMetadata } from './keep-metadata.ts';

/** Where content without a file of its own goes, and what it is to be; `--metadata-set` may tell another time. */
export function uploadTarget(
  invocation: Pick<Invocation, 'flags' | 'context'>,
  path: string,
  modTime: ModTime,
): InputTarget {
  const metadata = keepMetadata(invocation)?.set;
  if (metadata === undefined) return { path, modTime };
  return { path, modTime: modTimeIn(metadata) ?? modTime, metadata };
}
