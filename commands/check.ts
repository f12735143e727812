import { open } from 'node:fs/promises';
import type { Command, Invocation } from '../src/app/command.ts';
import { modifyWindowNs, poolWidths } from '../src/app/transfer/sync-options.ts';
import { openDestination } from '../src/app/transfer/transfer.ts';
import { SyncerError } from '../src/core/errors.ts';
import { nameToBytes } from '../src/core/name-bytes.ts';
import type { Remote } from '../src/core/remote.ts';
import type { Filter } from '../src/filter/filter.ts';
import { onlyFile } from '../src/filter/only-file.ts';
import { check } from '../src/sync/check.ts';
import type { CheckReports } from '../src/sync/check-report.ts';
import type { CheckBy } from '../src/sync/decide-check.ts';

/** `syncer check source:path dest:path` */
export const checkCommand: Command = { run };

const REPORT_FLAGS = [
  'combined',
  'match',
  'differ',
  'missing-on-src',
  'missing-on-dst',
  'error',
] as const;

async function run(invocation: Invocation): Promise<void> {
  const { flags, context, args } = invocation;
  const [from = '', to = ''] = args;
  const { remote: source, file } = await invocation.openPath(from);
  const dest = await openDestination(invocation, to);
  const filter: Filter = file === undefined ? await invocation.filter() : onlyFile(file.path);
  const reports = await openReports(invocation);
  try {
    await check(
      {
        context,
        filter,
        useServerModTime: flags['use-server-modtime'],
        ...(invocation.bandwidth === undefined ? {} : { bandwidth: invocation.bandwidth }),
      },
      {
        source,
        dest,
        by: comparison(invocation),
        // Without a listing of the destination nobody knows what only it has.
        oneWay: flags['one-way'] || flags['no-traverse'],
        modifyWindowNs: modifyWindowNs(flags),
        noUnicodeNormalization: flags['no-unicode-normalization'],
        ...poolWidths(flags, { source, dest }),
        lowLevelRetries: flags['low-level-retries'],
        reports: reports.writers,
      },
    );
  } finally {
    await reports.close();
    await Promise.allSettled([source, dest].map((remote: Remote) => remote.close()));
  }
}

function comparison({ flags }: Invocation): CheckBy {
  if (flags.download) return 'content';
  if (flags['size-only']) return 'size';
  return flags.checksum ? 'size-and-hash' : 'size-and-time';
}

/** Opens the report files that were asked for; `-` is standard output. */
async function openReports({
  flags,
  out,
}: Invocation): Promise<{ writers: CheckReports; close(): Promise<void> }> {
  const files: { close(): Promise<void> }[] = [];
  const writers: Record<string, (line: string) => Promise<void>> = {};
  for (const flag of REPORT_FLAGS) {
    const path = flags[flag];
    if (path === undefined || path === '') continue;
    if (path === '-') {
      writers[flag] = (line) => out.write(line);
      continue;
    }
    const file = await open(path, 'w').catch((cause: Error) => {
      throw new SyncerError('other', `can't open the report --${flag} ${path}: ${cause.message}`, {
        cause,
      });
    });
    files.push(file);
    const stream = file.createWriteStream();
    writers[flag] = (line) =>
      new Promise((resolve, reject) => {
        stream.write(nameToBytes(line), (error) => (error == null ? resolve() : reject(error)));
      });
  }
  return {
    writers,
    close: async () => {
      await Promise.allSettled(files.map((file) => file.close()));
    },
  };
}
