import { userInfo } from 'node:os';
import type { Command, Invocation } from '../src/app/command.ts';
import { windowColumns } from '../src/app/output/output.ts';
import { openRun } from '../src/app/running/find-run.ts';
import { psLines } from '../src/app/running/ps-lines.ts';
import { parseSettings } from '../src/app/running/run-settings.ts';
import { runningRuns } from '../src/app/running/running-summary.ts';
import type { OtherUser } from '../src/config/other-users.ts';
import { formatSize } from '../src/go/byte-size.ts';
import type { RunQuestion, RunStatus } from '../src/running/run-protocol.ts';
import { homeMount } from './home-mount.ts';

/** `syncer ps` */
export const psCommand: Command = async (invocation) => {
  const { env, flags, context, out } = invocation;
  if (flags.queue !== undefined) {
    const { listQueue } = await import('../src/app/queue/runs-of-queue.ts');
    return listQueue(invocation);
  }
  const { listMounts } = await import('../src/mount/list-mounts.ts');
  const others = flags['ps-all'] ? await otherUsersNow() : [];
  const user = flags['ps-all'] ? { user: userInfo().username } : {};
  const [runs, mounts] = await Promise.all([
    Promise.all([runningRuns(env), ...others.map((other) => runningRuns(env, other))]),
    listMounts(flags, env, others),
  ]).then(
    ([all, found]) =>
      [
        all.flat().map((run) => ({ ...user, ...run })),
        found.map((mount) => ({ ...user, ...mount })),
      ] as const,
  );
  if (flags['ps-json']) {
    const all = [
      ...runs.map((run) => ({ type: 'run', ...run })),
      ...mounts.map((mount) => ({ type: 'mount', ...mount })),
    ];
    return out.write(`${JSON.stringify(all, undefined, 2)}\n`);
  }
  const lines = psLines(runs, mounts.map(homeMount), context.clock.now(), windowColumns(out));
  await out.write(lines.map((line) => `${line}\n`).join(''));
};

async function otherUsersNow(): Promise<readonly OtherUser[]> {
  const { otherUsers } = await import('../src/config/other-users.ts');
  return otherUsers();
}

/** `syncer attach [run]` */
export const attachCommand: Command = async (invocation) => {
  if (invocation.flags.queue !== undefined) {
    const { attachToQueue } = await import('../src/app/queue/attach-queue.ts');
    return attachToQueue(invocation);
  }
  const { attach } = await import('../src/app/running/attach.ts');
  await attach(invocation);
};

/** `syncer pause run` */
export const pauseCommand: Command = (invocation) =>
  steer(invocation, { ask: 'pause' }, ({ isPaused }) => (isPaused ? 'paused' : 'goes on'));

/** `syncer resume run` */
export const resumeCommand: Command = (invocation) =>
  steer(invocation, { ask: 'resume' }, ({ isPaused }) => (isPaused ? 'paused' : 'goes on'));

/** `syncer set run transfers=4 bwlimit=10M` */
export const setCommand: Command = (invocation) => {
  const settings = parseSettings(invocation.args.slice(1));
  return steer(invocation, { ask: 'set', ...settings }, ({ transfers, bwlimit }) =>
    [
      `transfers=${transfers}`,
      ...(bwlimit === undefined ? [] : [`bwlimit=${rateText(bwlimit)}`]),
    ].join(' '),
  );
};

const rateText = (rate: number | 'off') => (rate === 'off' ? rate : formatSize(rate));

/** `syncer stop run` */
export const stopCommand: Command = async (invocation) => {
  const { args, flags, env, out, context } = invocation;
  if (flags.queue !== undefined) {
    const { stopInQueue } = await import('../src/app/queue/runs-of-queue.ts');
    return stopInQueue(invocation);
  }
  const now = flags['stop-now'];
  const { client, title } = await openRun(args[0], env);
  try {
    await client.status({ ask: 'stop', now });
    if (!now) return await out.write(`${title}: stops after its current files\n`);
    const { abortable } = await import('../src/kit/abort.ts');
    await abortable(client.closed, context.signal);
    await out.write(`${title}: stopped\n`);
  } finally {
    client.close();
  }
};

/** Asks a run for a change, and prints what it says then. */
async function steer(
  { args, env, out }: Invocation,
  question: RunQuestion,
  text: (status: RunStatus) => string,
): Promise<void> {
  const { client, title } = await openRun(args[0], env);
  try {
    await out.write(`${title}: ${text(await client.status(question))}\n`);
  } finally {
    client.close();
  }
}

/** `syncer worker [url]` */
export const workerCommand: Command = async (invocation) => {
  const { runWorker } = await import('../src/app/queue/run-worker.ts');
  await runWorker(invocation);
};

/** `syncer unlock remote:path id` */
export const unlockCommand: Command = async ({ args, remotes, context, out }) => {
  const [spec = '', id = ''] = args;
  const { freeLease } = await import('../src/running/free-lease.ts');
  const remote = await remotes.openDir(spec);
  await freeLease(remote, id, { signal: context.signal });
  await out.write(`${remote.title} is unlocked\n`);
};
