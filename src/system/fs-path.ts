import { nameToBytes } from '../core/name-bytes.ts';

/**
 * A path for Node's `fs`. Strings have lone surrogates for bytes that are not UTF-8, which Node would replace: such
 * paths are passed as bytes.
 */
export function fsPath(path: string): string | Buffer {
  return path.isWellFormed() ? path : nameToBytes(path);
}

/** A path for C functions: its bytes with a zero after them. */
export function cString(path: string): Buffer {
  return Buffer.concat([nameToBytes(path), Buffer.alloc(1)]);
}

/** The path of a name in an absolute directory. */
export function joinNative(dir: string, name: string): string {
  return dir.endsWith('/') ? dir + name : `${dir}/${name}`;
}
