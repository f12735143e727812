import { constants } from 'node:os';
import { nameFromBytes } from '../../core/name-bytes.ts';
import { cString } from '../../system/fs-path.ts';
import { type Libc, loadLibc } from '../../system/libc.ts';
import { AttributeError } from './fs-error.ts';

/** Extended attributes of files, and of links themselves. Names are whole: `user.colour`. Throws `AttributeError`. */
export interface ExtendedAttributes {
  names(path: string): readonly string[];
  /** `undefined` if the file has no such attribute. */
  get(path: string, name: string): Buffer | undefined;
  set(path: string, name: string, value: Buffer): void;
}

/** Access to extended attributes on this machine; rejects if there is none. */
export async function loadExtendedAttributes(): Promise<ExtendedAttributes> {
  if (process.platform !== 'linux') throw new Error(`not supported on ${process.platform}`);
  const libc = await loadLibc();
  const { func } = libc;
  const list = func('llistxattr', 'int64', ['void *', 'void *', 'size_t']);
  const get = func('lgetxattr', 'int64', ['void *', 'void *', 'void *', 'size_t']);
  const set = func('lsetxattr', 'int', ['void *', 'void *', 'void *', 'size_t', 'int']);
  return {
    names(path) {
      const at = cString(path);
      const found = filled(libc, 'listxattr', (buffer, size) => list(at, buffer, size));
      return nameFromBytes(found)
        .split('\0')
        .filter((name) => name !== '');
    },
    get(path, name) {
      const [at, named] = [cString(path), cString(name)];
      try {
        return filled(libc, 'getxattr', (buffer, size) => get(at, named, buffer, size));
      } catch (thrown) {
        if (thrown instanceof AttributeError && thrown.errno === constants.errno.ENODATA) return;
        throw thrown;
      }
    },
    set(path, name, value) {
      if (Number(set(cString(path), cString(name), value, value.length, 0)) === 0) return;
      throw new AttributeError('setxattr', libc.errno());
    },
  };
}

/** An attribute list, or a value, of a size determined before; it may have grown since. */
function filled(
  libc: Libc,
  call: string,
  fill: (buffer: Buffer | null, size: number) => number | bigint,
): Buffer {
  for (;;) {
    const size = Number(fill(null, 0));
    if (size < 0) throw new AttributeError(call, libc.errno());
    if (size === 0) return Buffer.alloc(0);
    const buffer = Buffer.alloc(size);
    const length = Number(fill(buffer, size));
    if (length >= 0) return buffer.subarray(0, length);
    const errno = libc.errno();
    if (errno !== constants.errno.ERANGE) throw new AttributeError(call, errno);
  }
}
