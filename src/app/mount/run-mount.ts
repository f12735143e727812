import { SyncerError } from '../../core/errors.ts';
import type { Invocation } from '../command.ts';
import { ownCommand } from '../process/own-command.ts';
import { isDaemonChild, tellParent } from './daemon-child.ts';
import { startDaemon } from './daemon-parent.ts';
import { mountPlan } from './mount-plan.ts';
import { serveMount } from './serve-mount.ts';
import { unitText } from './unit-text.ts';

/** `syncer mount remote:path /mnt`: serves the mount until it goes, or starts a process that does. */
export async function runMount(invocation: Invocation): Promise<void> {
  const { args, flags, env } = invocation;
  const [source = '', mountPoint = ''] = args;
  const plan = mountPlan(flags, source, process.geteuid?.() ?? 0);
  if (flags['print-unit']) return printUnit(invocation);
  if (flags.daemon && !isDaemonChild(env)) return startDaemon(invocation, mountPoint);
  try {
    await serveMount(invocation, plan);
  } catch (thrown) {
    // Both write to the same log.
    if (!(await tellParent(thrown))) throw thrown;
  }
}

async function printUnit({ args, flags, env, argv, out }: Invocation): Promise<void> {
  const { resolve } = await import('node:path');
  const [source = '', place = ''] = args;
  const mountPoint = resolve(place);
  const kept = ['HOME', 'SYNCER_CONFIG', 'RCLONE_CONFIG', 'XDG_CONFIG_HOME', 'XDG_CACHE_HOME'];
  const set = kept.flatMap((name) => (env[name] === undefined ? [] : [[name, env[name]] as const]));
  const wait = flags['drain-timeout'];
  if (!Number.isFinite(wait)) throw new SyncerError('usage', '--drain-timeout must be a time');
  await out.write(
    unitText({
      program: ownCommand(),
      argv: argv.map((word) => (word === place ? mountPoint : word)),
      source,
      mountPoint,
      isForUser: process.geteuid?.() !== 0,
      env: Object.fromEntries(set),
      stopSeconds: Math.ceil(Math.max(wait, 0) / 1000) + 30,
    }),
  );
}
