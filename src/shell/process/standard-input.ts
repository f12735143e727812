import { createReadStream, fstatSync, type Stats } from 'node:fs';
import { Readable } from 'node:stream';
import { SyncerError } from '../../core/errors.ts';

/**
 * Standard input. For a descriptor of a kind that Node does not know, such as a directory or a block device, its own
 * stream is empty, and an empty input would replace a file by nothing; this one reads it, or fails.
 *
 * @param stats of the descriptor; throws if it is closed
 */
export function standardInput(
  process: { readonly stdin: Readable },
  stats: () => Stats = () => fstatSync(0),
): Readable {
  let kind: Stats;
  try {
    kind = stats();
  } catch {
    return process.stdin;
  }
  if (kind.isDirectory()) {
    const error = new SyncerError('other', 'standard input is a directory');
    const failing = new Readable({ read() {}, construct: (done) => done(error) });
    // Not everything that gets it reads it.
    return failing.on('error', () => {});
  }
  const isKnown = kind.isFIFO() || kind.isFile() || kind.isCharacterDevice() || kind.isSocket();
  return isKnown ? process.stdin : createReadStream('', { fd: 0, autoClose: false });
}
