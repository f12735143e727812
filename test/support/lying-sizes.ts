import type { Attributes, Inode, MountOps } from '../../src/vfs/mount-ops.ts';

/** How much is read at a time of a file `…steps`, in bytes. */
const STEP = 4096;

/**
 * A file system that says wrong sizes of files, by the ends of their names: `…zero` is 0, `…late` is 0 until it is
 * read, `…less` is a third, and `…steps` is one step, of which it reads as much at a time. As file systems that find
 * out sizes by reading, they are read past the page cache.
 */
export function lyingSizes<T extends MountOps>(ops: T): T {
  const names = new Map<Inode, string>();
  const inodes = new Map<number, Inode>();
  const wasRead = new Set<Inode>();
  const is = (inode: Inode | undefined, end: string) =>
    inode !== undefined && names.get(inode)?.endsWith(end) === true;
  const told = (attributes: Attributes): Attributes => {
    const { inode, kind, size } = attributes;
    if (kind !== 'file') return attributes;
    if (is(inode, 'zero') || (is(inode, 'late') && !wasRead.has(inode)))
      return { ...attributes, size: 0 };
    if (is(inode, 'less')) return { ...attributes, size: Math.ceil(size / 3) };
    return is(inode, 'steps') ? { ...attributes, size: Math.min(size, STEP) } : attributes;
  };
  const named = <A extends Attributes>(name: string, attributes: A): Attributes => {
    names.set(attributes.inode, name);
    return told(attributes);
  };
  const lying: Partial<MountOps> = {
    lookup: async (parent, name, op) => named(name, await ops.lookup(parent, name, op)),
    getAttributes: async (inode, ...rest) => told(await ops.getAttributes(inode, ...rest)),
    setAttributes: async (inode, ...rest) => told(await ops.setAttributes(inode, ...rest)),
    async create(parent, name, flags, op) {
      const created = await ops.create(parent, name, flags, op);
      inodes.set(created.handle, created.attributes.inode);
      return { ...created, directIo: true, attributes: named(name, created.attributes) };
    },
    async open(inode, flags, op) {
      const opened = await ops.open(inode, flags, op);
      inodes.set(opened.handle, inode);
      return { ...opened, directIo: true };
    },
    async read(handle, offset, length, op) {
      const inode = inodes.get(handle);
      if (inode !== undefined) wasRead.add(inode);
      return ops.read(handle, offset, is(inode, 'steps') ? Math.min(length, STEP) : length, op);
    },
    async readDir(handle, from, op) {
      const entries = await ops.readDir(handle, from, op);
      return entries.map((entry) => ({
        ...entry,
        attributes: named(entry.name, entry.attributes),
      }));
    },
  };
  return { ...ops, ...lying };
}
