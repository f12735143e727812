import { SyncerError } from '../../../core/errors.ts';
import type { FileEntry, ReadRange } from '../../../core/remote.ts';
import type { OpenAnswer } from '../client/request.ts';
import { etagOf } from './object-entry.ts';

/**
 * Throws where the answer to a GET cannot be what was asked for: `source-changed` for another object than the one that
 * `file` tells of, `bad-answer` for another range of it, another length, or what is no answer of a store.
 *
 * @param expected how many bytes must come, where that is known
 * @param where bucket and key, for messages
 */
export function checkAnswered(
  { status, headers, announcedLength }: OpenAnswer,
  file: FileEntry,
  asked: { readonly range: ReadRange | undefined; readonly expected: number | undefined },
  where: string,
): void {
  const wrong = (what: string) => new SyncerError('bad-answer', `cannot read ${where}: ${what}`);
  const { range, expected } = asked;
  if (status !== 200 && status !== 206) throw wrong(`the store answered with ${status}`);
  const etag = etagOf(headers);
  if (file.etag !== undefined && etag !== file.etag) {
    if (etag === undefined) throw wrong('the answer does not tell its ETag');
    throw new SyncerError('source-changed', `${where} was replaced since it was listed`, {
      advice: 'run the command again',
    });
  }
  const offset = range?.offset ?? 0;
  if (status === 206) {
    const [, from, to] = /^bytes (\d+)-(\d+)\//.exec(headers['content-range'] ?? '') ?? [];
    const length = Number(to) - Number(from) + 1;
    const most = range?.length ?? length;
    const isLength = expected === undefined ? length <= most : length === expected;
    if (Number(from) !== offset || !isLength)
      throw wrong(`it is another range: ${headers['content-range'] ?? 'none'}`);
    return;
  }
  // A range that is the whole may be answered as that.
  const isWhole = range === undefined || (offset === 0 && announcedLength === expected);
  if (!isWhole) throw wrong('the store ignores ranges');
  if (announcedLength !== undefined && expected !== undefined && announcedLength !== expected) {
    throw wrong(`it has ${announcedLength} bytes, not ${expected}`);
  }
}
