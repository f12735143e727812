import { stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { SyncerError } from '../../core/errors.ts';
import type { HashName } from '../../core/hash-names.ts';
import { nameToBytes } from '../../core/name-bytes.ts';
import type { FileEntry, Op, Remote } from '../../core/remote.ts';
import { hashOf } from '../../engine/compare-hashes.ts';
import type { OutcomeReports } from '../../engine/outcomes.ts';
import { startRun } from '../../engine/run.ts';
import { passAllFilter } from '../../filter/filter.ts';
import { goErrno } from '../../go/go-errno.ts';
import { COMPUTABLE_HASHES } from '../../hashes/content-hasher.ts';
import { parseHashName } from '../../listing/hash-name.ts';
import { manifestLine } from '../../listing/sum-file.ts';
import type { Invocation } from '../../shell/command-line/command.ts';
import { logText } from '../../shell/log/log-text.ts';
import type { Output } from '../../shell/output/output.ts';
import { openReplacement } from '../../state/replace-file.ts';
import { hashReader } from './hash-reader.ts';

/** The manifest of a run. */
export interface OpenManifest {
  readonly add: NonNullable<OutcomeReports['destAfter']>;
  /** Gives the manifest its name; the one before it stays if `isWhole` is false. */
  close(isWhole: boolean): Promise<void>;
}

/**
 * Opens the file of `--manifest`, for the hashes of what the run copied or found equal, as `sha256sum` writes them.
 * `undefined` without the flag, and for a dry run. Rejects with `usage` for a hash that cannot be computed.
 */
export async function openManifest(
  { flags, context, out, bandwidth }: Invocation,
  source: Remote,
  dest: Remote,
): Promise<OpenManifest | undefined> {
  const { manifest: path, 'manifest-hash': hash, 'dry-run': isDryRun } = flags;
  if (!path || isDryRun) return undefined;
  const name = parseHashName(hash, 'usage');
  if (!COMPUTABLE_HASHES.includes(name)) {
    throw new SyncerError('usage', `--manifest-hash: ${name} cannot be computed`);
  }
  const run = startRun({ context, filter: passAllFilter, bandwidth });
  const { op } = run;
  const download = hashReader(run, dest, name, {
    download: true,
    tries: flags['low-level-retries'],
  });
  const target = path === '-' ? toOutput(out) : await toFile(path);
  let last = Promise.resolve();
  const write = async (file: FileEntry, at: string, ofSource: FileEntry) => {
    const value =
      (await knownHash(dest, at === file.path ? file : undefined, name, op, at)) ??
      (await hashOfSource(source, ofSource, name, op)) ??
      (await download(await fileAt(dest, at, op)));
    await target.write(manifestLine(value ?? '', at));
  };
  return {
    add(file, path, ofSource = path === undefined ? undefined : file) {
      // What only the destination has is not the run's.
      if (ofSource === undefined) return Promise.resolve();
      // One after another: the order of the lines is that of the run.
      last = last.catch(() => {}).then(() => write(file, path ?? file.path, ofSource));
      return last;
    },
    close(isWhole) {
      if (!isWhole) {
        const text = 'not written, as the run did not succeed';
        context.emit(logText('notice', text, `manifest ${path}`));
      }
      return target.close(isWhole);
    },
  };
}

/** The hash that a store has of a file at the destination, or computes without a transfer. */
async function knownHash(
  dest: Remote,
  known: FileEntry | undefined,
  name: HashName,
  op: Op,
  path: string,
): Promise<string | undefined> {
  if (!dest.traits.hashes.includes(name)) return undefined;
  return hashOf(dest, known ?? (await fileAt(dest, path, op)), name, op);
}

async function fileAt(dest: Remote, path: string, op: Op): Promise<FileEntry> {
  const file = await dest.stat(path, op);
  if (file?.kind === 'file') return file;
  throw new SyncerError('file-not-found', 'not in the manifest: it is no longer there', { path });
}

/** The hash of the source, if it needs no transfer and the file did not change. */
async function hashOfSource(
  source: Remote,
  file: FileEntry,
  name: HashName,
  op: Op,
): Promise<string | undefined> {
  if (!source.traits.hashes.includes(name)) return undefined;
  const hash = await hashOf(source, file, name, op).catch(() => undefined);
  op.signal.throwIfAborted();
  const now = hash === undefined ? undefined : await source.stat(file.path, op);
  const isSame = now?.kind === 'file' && now.size === file.size && now.modTime === file.modTime;
  return isSame ? hash : undefined;
}

interface Target {
  write(line: string): Promise<void>;
  close(isWhole: boolean): Promise<void>;
}

const toOutput = (out: Output): Target => ({
  write: (line) => out.write(line),
  close: async () => {},
});

/** A file that has its name only when it is whole; until then one that no listing shows, and the next run deletes. */
async function toFile(path: string): Promise<Target> {
  if ((await stat(path).catch(() => undefined))?.isDirectory()) {
    throw new SyncerError('usage', `--manifest ${path} is a directory; give the name of a file`);
  }
  const failed = (cause: unknown) => {
    const text = `cannot write to the manifest ${path}: ${goErrno(cause)}`;
    throw new SyncerError('other', text, { path, cause });
  };
  const how = { mode: 0o666, isLasting: false };
  const manifest = await openReplacement(resolve(path), how).catch(failed);
  return {
    write: (line) => manifest.file.appendFile(nameToBytes(line)).catch(failed),
    async close(isWhole) {
      if (isWhole) await manifest.put();
      await manifest.drop();
    },
  };
}
