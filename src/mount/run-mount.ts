import type { Invocation } from '../app/command.ts';
import { logText } from '../app/log/log-text.ts';
import { ownCommand } from '../app/process/own-command-line.ts';
import { leftOutText } from '../app/unit/systemd-text.ts';
import { SyncerError } from '../core/errors.ts';
import { isDaemonChild, startDaemon, tellParent } from './daemon.ts';
import { mountPlan } from './mount-plan.ts';
import { serveMount } from './serve-mount.ts';

/** `syncer mount remote:path /mnt`: serves the mount until it ends, or starts a process that does. */
export async function runMount(invocation: Invocation): Promise<void> {
  const { args, flags, env } = invocation;
  const [source = '', mountPoint = ''] = args;
  const plan = mountPlan(flags, source, process.geteuid?.() ?? 0);
  if (flags['print-unit']) return printUnit(invocation);
  if (flags.daemon && !isDaemonChild(env)) {
    const pid = await startDaemon(invocation, mountPoint);
    if (process.stderr.isTTY !== true) return;
    const message = `Mounted ${source} on ${mountPoint} in the background (process ${pid}); to unmount, run "syncer unmount ${mountPoint}"`;
    return invocation.context.emit(logText('notice', message));
  }
  try {
    await serveMount(invocation, plan);
  } catch (thrown) {
    // Both write to the same log.
    if (!(await tellParent(thrown))) throw thrown;
  }
}

async function printUnit({ args, flags, env, argv, out, context }: Invocation): Promise<void> {
  const wait = flags['drain-timeout'];
  if (!Number.isFinite(wait)) throw new SyncerError('usage', '--drain-timeout must be a time');
  const { unitParts, unitText } = await import('./unit-text.ts');
  const { leftOut, ...parts } = unitParts({ args, argv, env, folder: process.cwd() });
  const secrets = leftOutText('unit', leftOut);
  if (secrets !== undefined) context.emit(logText('notice', secrets));
  await out.write(
    unitText({
      ...parts,
      program: ownCommand(),
      isForUser: process.geteuid?.() !== 0,
      stopSeconds: Math.ceil(Math.max(wait, 0) / 1000) + 30,
    }),
  );
}
