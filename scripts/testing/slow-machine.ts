import { type ChildProcess, spawn } from 'node:child_process';
import { mkdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

/** The share of the machine's processors that is left. */
const SHARE = 0.25;
const PERIOD_US = 100_000;

/** This process and all that it starts on a slow machine. */
export interface SlowMachine {
  /** Added to the environment of tests: what they start is started late. */
  readonly env: Readonly<Record<string, string>>;
  stop(): void;
}

/**
 * Makes the machine slow for this process and its children: a quarter of the processors by a cgroup, a busy program on
 * each processor beside it, and 50 ms more for each start of a program. Throws if this user may not create cgroups.
 */
export function slowDown(): SlowMachine {
  const busy = Array.from({ length: availableParallelism() }, startBusy);
  const stopBusy = () => busy.forEach((child) => void child.kill('SIGKILL'));
  try {
    const leave = joinSlowGroup();
    const starts = pathToFileURL(join(import.meta.dirname, 'slow-starts.mjs')).href;
    return {
      env: { NODE_OPTIONS: `${process.env['NODE_OPTIONS'] ?? ''} --import=${starts}`.trim() },
      stop() {
        leave();
        stopBusy();
      },
    };
  } catch (thrown) {
    stopBusy();
    throw new Error(`--slow needs root and cgroups: ${(thrown as Error).message}`);
  }
}

function startBusy(): ChildProcess {
  return spawn(process.execPath, ['-e', 'for (;;);'], { stdio: 'ignore' });
}

/** Moves this process into a cgroup with a quota of processor time; returns what moves it back. */
function joinSlowGroup(): () => void {
  const quota = `${Math.round(availableParallelism() * SHARE * PERIOD_US)}`;
  const { root, own, isUnified } = cpuGroups();
  const group = join(root, `syncer-slow-${process.pid}`);
  mkdirSync(group);
  if (isUnified) writeFileSync(join(group, 'cpu.max'), `${quota} ${PERIOD_US}`);
  else {
    writeFileSync(join(group, 'cpu.cfs_period_us'), `${PERIOD_US}`);
    writeFileSync(join(group, 'cpu.cfs_quota_us'), quota);
  }
  writeFileSync(join(group, 'cgroup.procs'), `${process.pid}`);
  return () => {
    writeFileSync(join(own, 'cgroup.procs'), `${process.pid}`);
    // What tests left running keeps the group; it is empty when that has ended.
    try {
      rmdirSync(group);
    } catch {}
  };
}

/** Where the kernel shares out processor time, and the group of this process there; version 1 or 2 of cgroups. */
function cpuGroups() {
  const lines = readFileSync('/proc/self/cgroup', 'utf8').split('\n');
  const older = lines.find((line) => /^\d+:([^:]*,)?cpu(,[^:]*)?:/.test(line));
  const line = older ?? lines.find((each) => each.startsWith('0::')) ?? '';
  const root = older === undefined ? '/sys/fs/cgroup' : '/sys/fs/cgroup/cpu';
  return { root, own: join(root, line.split(':')[2] ?? ''), isUnified: older === undefined };
}
