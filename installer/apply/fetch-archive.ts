import { readFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { formatSizeUnit } from '../../src/go/byte-size.ts';
import type { StepOf } from '../plan/step.ts';
import { checksumOf, publishedChecksum, verifyChecksum } from '../release/checksum.ts';
import { downloadArchive } from '../release/download-archive.ts';
import { testConnection } from '../release/test-connection.ts';
import { onFile } from './file-error.ts';
import type { Doer } from './job.ts';

/** Whether the release host answers decides which way the archive is fetched. */
export const testTheConnection: Doer<StepOf<'test-connection'>> = async (
  { source },
  world,
  state,
) => {
  const { options, releases, signal } = world;
  const route = await testConnection(releases, source, options.timeouts.testMs, signal);
  state.prefix = route.prefix;
  return route.why;
};

/** Fetches the archive, with progress. */
export const download: Doer<StepOf<'download'>> = async ({ source }, world, state) => {
  const { releases, emit, signal } = world;
  const onProgress = (done: number, total: number | undefined) =>
    emit({ kind: 'progress', done, total });
  const url = `${state.prefix}${source.url}`;
  state.archive = await downloadArchive(releases, url, onProgress, signal);
  state.sums = { url: `${state.prefix}${source.sumsUrl}`, name: source.name };
  return formatSizeUnit(state.archive.length);
};

/** Reads an archive that is here already, and the checksums beside it where there are some. */
export const readArchive: Doer<StepOf<'read-archive'>> = async ({ file }, _world, state) => {
  state.archive = await onFile('read', file, () => readFile(file));
  return formatSizeUnit(state.archive.length);
};

/** Compares the archive with the checksum that the user, the host, or a list beside the file names. */
export const verify: Doer<StepOf<'verify'>> = async ({ sha256 }, world, state) => {
  const { archive = Buffer.alloc(0), sums } = state;
  const { releases, signal, options } = world;
  let expected = sha256;
  if (expected === undefined && sums !== undefined) {
    expected = await publishedChecksum(releases, sums.url, sums.name, signal);
  } else if (expected === undefined && options.archive !== undefined) {
    expected = await checksumBeside(options.archive);
  }
  if (expected === undefined)
    return 'not verified: no checksum is published; set one with --sha256';
  verifyChecksum(archive, expected);
  return `SHA-256 matches: ${expected}`;
};

async function checksumBeside(file: string): Promise<string | undefined> {
  const list = await readFile(join(dirname(file), 'SHA256SUMS'), 'utf8').catch(() => undefined);
  return list === undefined ? undefined : checksumOf(list, basename(file));
}
