import { userInfo } from 'node:os';
import { innermost } from '../../src/core/around.ts';
import { abortable } from '../../src/core/context.ts';
import { SyncerError } from '../../src/core/errors.ts';
import { shortRunId } from '../../src/core/run-id.ts';
import { alignedRows, counted, harmless } from '../../src/core/shown-text.ts';
import { singleRate } from '../../src/engine/bandwidth-timetable.ts';
import { mayChange } from '../../src/engine/consent.ts';
import { formatSize, formatSizeUnit } from '../../src/go/quantities.ts';
import type { HomeMount } from '../../src/run/home-entry.ts';
import type { RunQuestion, RunStatus } from '../../src/run/presence/run-protocol.ts';
import { runningRuns, runsOfUser } from '../../src/run/presence/running-summary.ts';
import {
  type RunningSummary,
  runningLine,
  runningSum,
  runningText,
} from '../../src/run/presence/running-text.ts';
import type {
  Asking,
  CommandCall,
  Environment,
  Remotes,
  StandardOutput,
  UnderConsent,
} from '../../src/shell/command-line/command.ts';
import { windowColumns } from '../../src/shell/output/output.ts';
import { ago } from '../../src/terminal/time-texts.ts';
import type { PS_FLAGS } from './command.ts';
import { openRun } from './find-run.ts';

/** What the commands for running runs need. */
type PsNeeds = CommandCall<typeof PS_FLAGS> & Environment & StandardOutput;

export async function psCommand(invocation: PsNeeds): Promise<void> {
  const { env, flags, context, out } = invocation;
  if (flags.queue !== undefined) return (await import('./runs-of-queue.ts')).listQueue(invocation);
  const { homeMount, listMounts } = await import('../mount/use.ts');
  const others = flags['ps-all']
    ? await (await import('../../src/config/other-users.ts')).otherUsers()
    : [];
  const hooksOf = async (control: string) => {
    const { hooksInWords } = await import('../../src/webhook/control/control-client.ts');
    return hooksInWords(control);
  };
  const user = flags['ps-all'] ? { user: userInfo().username } : {};
  const [found, mounted] = await Promise.all([
    Promise.all([runningRuns(invocation, hooksOf), ...others.map(runsOfUser)]),
    listMounts(flags, env, others),
  ]);
  const runs = found.flat().map((run) => ({ ...user, ...run }));
  const mounts = mounted.map((mount) => ({ ...user, ...mount }));
  if (flags['ps-json']) {
    const all = [
      ...runs.map((run) => ({ type: 'run', ...run })),
      ...mounts.map((mount) => ({ type: 'mount', ...mount })),
    ];
    return out.write(`${JSON.stringify(all, undefined, 2)}\n`);
  }
  const lines = psLines(runs, mounts.map(homeMount), context.clock.now(), windowColumns(out));
  await out.write(lines.map((line) => `${line}\n`).join(''));
}

export const attachCommand = async (invocation: PsNeeds & Asking) =>
  invocation.flags.queue === undefined
    ? (await import('./attach.ts')).attach(invocation)
    : (await import('./attach-queue.ts')).attachToQueue(invocation);

const pauseText = ({ isPaused }: RunStatus) => (isPaused ? 'paused' : 'goes on');

export const pauseCommand = (invocation: PsNeeds) => steer(invocation, { ask: 'pause' }, pauseText);

export const resumeCommand = (invocation: PsNeeds) =>
  steer(invocation, { ask: 'resume' }, pauseText);

export function setCommand(invocation: PsNeeds): Promise<void> {
  const settings = parseSettings(invocation.args.slice(1));
  return steer(invocation, { ask: 'set', ...settings }, ({ transfers, bwlimit }) =>
    [
      `transfers=${transfers}`,
      ...(bwlimit === undefined
        ? []
        : [`bwlimit=${bwlimit === 'off' ? bwlimit : formatSize(bwlimit)}`]),
    ].join(' '),
  );
}

export async function stopCommand(invocation: PsNeeds): Promise<void> {
  const { args, flags, out, context } = invocation;
  if (flags.queue !== undefined)
    return (await import('./runs-of-queue.ts')).stopInQueue(invocation);
  const now = flags['stop-now'];
  const { client, title } = await openRun(args[0], invocation);
  try {
    await client.status({ ask: 'stop', now });
    if (!now) return await out.write(`${title}: stops after its current files\n`);
    await abortable(client.closed, context.signal);
    await out.write(`${title}: stopped\n`);
  } finally {
    client.close();
  }
}

/** Asks a run for a change, and prints what it says then. */
async function steer(
  invocation: PsNeeds,
  question: RunQuestion,
  text: (status: RunStatus) => string,
): Promise<void> {
  const { args, out } = invocation;
  const { client, title } = await openRun(args[0], invocation);
  try {
    await out.write(`${title}: ${text(await client.status(question))}\n`);
  } finally {
    client.close();
  }
}

export const workerCommand = async (invocation: CommandCall<typeof PS_FLAGS> & Environment) =>
  (await import('./run-worker.ts')).runWorker(invocation);

export async function unlockCommand(
  invocation: CommandCall<typeof PS_FLAGS> & Remotes & StandardOutput & UnderConsent,
): Promise<void> {
  const { args, remotes, context, out } = invocation;
  const [spec = '', id = ''] = args;
  const { freeLease, leaseOfRun } = await import('../../src/run/presence/remote-lease.ts');
  const remote = innermost(await remotes.openDir(spec));
  // What cannot be freed is an error of a dry run, too.
  await leaseOfRun(remote, id, context);
  if (!(await mayChange(invocation, { do: 'other', words: 'unlock', about: remote.title }))) return;
  await freeLease(remote, id, context);
  await out.write(`${remote.title} is unlocked\n`);
}

/**
 * The table of `syncer ps`: runs, then mounts; one line saying so if nothing is running. Users if one is named. Broken
 * where it is wider than `columns`.
 */
export function psLines(
  runs: readonly RunningSummary[],
  mounts: readonly HomeMount[],
  nowMs: number,
  columns?: number,
): readonly string[] {
  if (runs.length + mounts.length === 0) return ['Nothing is running.'];
  const hasUsers = [...runs, ...mounts].some(({ user }) => user !== undefined);
  const all = [
    ['RUN', 'USER', 'STATE', 'STARTED', 'DONE', 'COMMAND'],
    ...runs.map((run) => [
      shortRunId(run.id),
      harmless(run.user ?? '-'),
      runningText(run),
      ago(nowMs - run.startedMs),
      runningSum(run) || '-',
      runningLine(run),
    ]),
    ...mounts.map((mount) => [
      '-',
      harmless(mount.user ?? '-'),
      harmless(mount.state),
      mount.sinceMs === undefined ? '-' : ago(nowMs - mount.sinceMs),
      mount.pending === 0
        ? '-'
        : `${counted(mount.pending, 'upload')} pending, ${formatSizeUnit(mount.pendingBytes)}`,
      harmless(`mount ${mount.source} ${mount.mountPoint}`),
    ]),
  ];
  return alignedRows(hasUsers ? all : all.map((row) => row.toSpliced(1, 1)), columns);
}

/** Reads `transfers=4 bwlimit=10M`. Throws `usage` for anything else. */
export function parseSettings(
  words: readonly string[],
): Pick<RunQuestion & { ask: 'set' }, 'transfers' | 'bwlimit'> {
  const settings = words.map((word) => {
    const [, name = '', value = ''] = /^([^=]*)=(.*)$/.exec(word) ?? [];
    const wrong = (why: string) => new SyncerError('usage', `cannot set "${word}": ${why}`);
    if (name === 'transfers' && /^[1-9]\d{0,5}$/.test(value)) return { transfers: Number(value) };
    if (name === 'transfers') throw wrong('transfers is a number above 0');
    if (name !== 'bwlimit') throw wrong('use transfers=4 or bwlimit=10M');
    const rate = singleRate(value);
    if (rate === undefined) throw wrong('bwlimit is a rate such as 500k or 10M, or off');
    return { bwlimit: Number.isFinite(rate) ? rate : 'off' };
  });
  return Object.assign({}, ...settings);
}
