import { nameToBytes } from '../../core/name-bytes.ts';

/**
 * A path as Node's `fs` wants it. Paths are strings in this folder, with lone surrogates for bytes that are not
 * UTF-8; Node would turn these into U+FFFD, so such a path goes to it as bytes.
 */
export function fsPath(path: string): string | Buffer {
  return path.isWellFormed() ? path : nameToBytes(path);
}

/** A path as functions of C take it: its bytes with a zero behind them. */
export function cString(path: string): Buffer {
  return Buffer.concat([nameToBytes(path), Buffer.alloc(1)]);
}
