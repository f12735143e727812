import { check } from '../../src/engine/check.ts';
import { ALL } from '../../src/engine/consent.ts';
import type { CheckBy } from '../../src/engine/rules/check-rules.ts';
import { type Filter, onlyFile } from '../../src/filter/filter.ts';
import { openReports } from '../../src/run/listing/open-reports.ts';
import { refuseWithoutQueue } from '../../src/run/queue/needs-queue.ts';
import { refuseFilteredFile } from '../../src/run/remotes/file-or-directory.ts';
import {
  modifyWindowNs,
  poolWidths,
  startTimeLimit,
  type TimeLimit,
} from '../../src/run/transfer/sync-options.ts';
import { openDestination } from '../../src/run/transfer/transfer.ts';
import type {
  CommandCall,
  Environment,
  Program,
  Remotes,
  StandardInput,
  StandardOutput,
  Steering,
} from '../../src/shell/command-line/command.ts';
import { cannotUse } from '../../src/shell/flags/exclusions.ts';
import { compareWithSums } from '../hashsum/use.ts';
import type { CHECK_FLAGS } from './command.ts';

/** What `check` needs. */
type CheckNeeds = CommandCall<typeof CHECK_FLAGS> &
  Program &
  Environment &
  Remotes &
  StandardOutput &
  StandardInput &
  Steering;

export async function checkCommand(invocation: CheckNeeds): Promise<void> {
  refuseWithoutQueue(invocation);
  // The workers of a queue keep the limit of its runs.
  if (invocation.flags.queue !== undefined) return checkWithin(invocation, (work) => work);
  // There is nothing to finish: every mode ends it like this one.
  const flags = { ...invocation.flags, 'cutoff-mode': 'hard' } as const;
  const limit = startTimeLimit({ ...invocation, flags });
  try {
    await checkWithin({ ...invocation, context: limit.context }, limit.until);
  } finally {
    limit.end();
  }
}

async function checkWithin(invocation: CheckNeeds, until: TimeLimit['until']): Promise<void> {
  const { flags, context, args } = invocation;
  const [from = '', to = ''] = args;
  const { 'check-checkfile': hash } = flags;
  if (hash) return until(compareWithSums(invocation, hash, from, to));
  const { remote: source, file } = await until(invocation.remotes.openPath(from));
  const dest = await until(openDestination(invocation, to));
  const given = await invocation.filter();
  refuseFilteredFile(given, file !== undefined, from);
  const filter: Filter = file === undefined ? given : onlyFile(file.path);
  const setup = {
    context,
    filter,
    useServerModTime: flags['use-server-modtime'],
    bandwidth: invocation.bandwidth,
    control: invocation.control,
    consent: ALL,
  };
  let by: CheckBy = flags.checksum ? 'size-and-hash' : 'size-and-time';
  if (flags.download) by = 'content';
  if (flags['size-only']) by = 'size';
  const plan = {
    source,
    dest,
    by,
    ignoreSize: flags['ignore-size'],
    // Extra files are unknown without a listing of the destination.
    oneWay: flags['one-way'] || flags['no-traverse'],
    modifyWindowNs: modifyWindowNs(flags),
    noUnicodeNormalization: flags['no-unicode-normalization'],
    ignoreCaseSync: flags['ignore-case-sync'],
    ...poolWidths(flags, { source, dest }),
    fastList: flags['fast-list'],
    lowLevelRetries: flags['low-level-retries'],
  };
  let reports: Awaited<ReturnType<typeof openReports>> | undefined;
  try {
    if (flags.queue !== undefined) {
      if (file !== undefined) throw cannotUse('--queue', 'a file', 'it takes a directory');
      const { checkOverQueue } = await import('../../src/run/queue/run-over-queue.ts');
      return await checkOverQueue(invocation, setup, plan);
    }
    reports = await openReports(invocation);
    await check(setup, { ...plan, reports: reports.writers });
  } finally {
    await reports?.close();
  }
}
