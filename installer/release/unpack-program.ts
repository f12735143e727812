import { Readable, Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import { extract } from 'tar-stream';
import { SyncerError } from '../../src/core/errors.ts';

/** No release is larger than this when unpacked, in bytes: an archive that never ends is refused. */
const LARGEST = 512 * 1024 * 1024;

/** What entries other than files and directories are, for the error. */
const REFUSED: Readonly<Record<string, string>> = {
  link: 'a link',
  symlink: 'a symbolic link',
  'character-device': 'a device',
  'block-device': 'a device',
  fifo: 'a pipe',
};

/**
 * Unpacks one file from a gzip tarball and reads the archive to its end, so that damage anywhere, and a second file of
 * that name, is seen. Nothing else of the archive is written anywhere. Rejects with `corrupted` for a bad archive, for
 * links, devices and names that lead out of the folder, and where the file is not in it.
 *
 * @param sink gets the program's bytes in their order
 */
export async function unpackProgram(
  archive: Buffer,
  wanted: string,
  sink: (chunk: Buffer) => Promise<void>,
): Promise<void> {
  const entries = extract();
  const feeding = pipeline(Readable.from(pieces(archive)), createGunzip(), limit(), entries);
  // Its failure also ends the loop below, which reports it.
  feeding.catch(() => {});
  let found = false;
  let failure: unknown;
  try {
    for await (const entry of entries) {
      const { name, type } = entry.header;
      if (type !== 'file' && type !== 'directory') {
        throw broken(`"${name}" is ${REFUSED[type ?? ''] ?? 'of an unknown kind'}`);
      }
      const parts = name.split('/');
      if (name === '' || name.includes('\0') || name.startsWith('/') || parts.includes('..')) {
        throw broken(`"${name}" points outside the archive`);
      }
      const isWanted = type === 'file' && name.replace(/^\.\//, '') === wanted;
      if (isWanted && found) throw broken(`it contains ${wanted} twice`);
      found ||= isWanted;
      for await (const chunk of entry) {
        if (!isWanted) continue;
        await sink(chunk as Buffer).catch((thrown) => {
          failure = thrown;
          throw thrown;
        });
      }
    }
    await feeding;
  } catch (error) {
    if (failure !== undefined) throw failure;
    if (error instanceof SyncerError) throw error;
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === 'Z_BUF_ERROR' || message === 'Unexpected end of data') {
      throw broken('it ends too early', error);
    }
    const what = code?.startsWith('Z_') === true ? 'gzip file' : 'tar archive';
    throw broken(`it is not a ${what}, or damaged`, error);
  }
  if (!found) throw broken(`it does not contain ${wanted}`);
}

function* pieces(archive: Buffer): Generator<Buffer> {
  const step = 1024 * 1024;
  for (let at = 0; at < archive.length; at += step) yield archive.subarray(at, at + step);
}

function limit(): Transform {
  let total = 0;
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      total += chunk.length;
      if (total > LARGEST) done(broken('it is too large'));
      else done(null, chunk);
    },
    flush(done) {
      if (total === 0) done(broken('it ends too early'));
      else done();
    },
  });
}

function broken(why: string, cause?: unknown): SyncerError {
  return new SyncerError('corrupted', `bad archive: ${why}`, { cause });
}

/** An architecture, see `architectureOf`. */
export type Architecture = ReturnType<typeof architectureOf>;

/** Names and `e_machine` of a machine that `uname -m` names so. Throws `unsupported` if no archive is for it. */
export function architectureOf(machine: string) {
  if (/^(?:x86_64|amd64)$/.test(machine)) return { name: 'amd64', elfMachine: 62 };
  if (/^(?:aarch64|arm64)$/.test(machine)) return { name: 'arm64', elfMachine: 183 };
  throw new SyncerError(
    'unsupported',
    `unsupported architecture "${machine}": only x86_64 and aarch64 are supported`,
  );
}
