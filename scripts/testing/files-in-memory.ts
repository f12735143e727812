import { chmod, mkdtemp, rm, statfs } from 'node:fs/promises';
import { join } from 'node:path';

const MEMORY = '/dev/shm';
const TMPFS = 0x01021994;
/** In bytes: the tests need a quarter of it. */
const ROOM = 4 * 2 ** 30;

/** Where the tests put their files. */
export interface FilesOfTests {
  readonly env: Readonly<Record<string, string>>;
  remove(): Promise<void>;
}

/**
 * Creates a directory in memory for the tests' files, if there is room and `TMPDIR` names no other place. Programs
 * flush each file and each change of their state to the disk, for which the tests would wait a third of their time.
 */
export async function filesInMemory(): Promise<FilesOfTests | undefined> {
  if (process.env['TMPDIR'] !== undefined || !(await isRoomy())) return;
  // A short name: paths of sockets have at most 107 bytes.
  const dir = await mkdtemp(join(MEMORY, 'st-'));
  // As /tmp: tests run programs as other users.
  await chmod(dir, 0o1777);
  return { env: { TMPDIR: dir }, remove: () => rm(dir, { recursive: true, force: true }) };
}

async function isRoomy(): Promise<boolean> {
  const none = { type: 0, bavail: 0, bsize: 0 };
  const { type, bavail, bsize } = await statfs(MEMORY).catch(() => none);
  return type === TMPFS && bavail * bsize >= ROOM;
}
