#!/usr/bin/env node
// Only old syntax here, so that an old Node can report which version is needed; everything else is loaded later.

import type { Readable } from 'node:stream';

/** The oldest Node that syncer runs on: major and minor version. */
const OLDEST_NODE = [24, 15] as const;

const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
if (major > OLDEST_NODE[0] || (major === OLDEST_NODE[0] && minor >= OLDEST_NODE[1])) {
  start();
} else {
  const needed = OLDEST_NODE.join('.');
  const { execPath, versions } = process;
  process.stderr.write(`syncer needs Node ${needed} or newer; ${execPath} is ${versions.node}\n`);
  if (/mount\.(fuse\.)?syncer$/.test(process.argv[1] || '')) {
    process.stderr.write(
      'mount(8) searches only system directories; for a script see "/etc/fstab" in docs/mount.md\n',
    );
  }
  process.exitCode = 1;
}

function start(): void {
  if (asksOnlyForVersion()) {
    process.stdout.on('error', endWithoutOutput);
    void import('../commands/version/version.ts').then(({ versionText }) => {
      process.stdout.write(versionText());
    });
  } else {
    void runWhole();
  }
}

/** A closed pipe ends the program silently, as it does others; any other error is printed. */
function endWithoutOutput({ code, message }: NodeJS.ErrnoException): void {
  if (code !== 'EPIPE') {
    process.stderr.write(`cannot write to standard output: ${message}\n`);
    process.exitCode = 1;
    return;
  }
  void import('./shell/process/end-process.ts').then((module) => module.endByClosedPipe(process));
}

/** The command that scripts run most often loads nothing else. */
function asksOnlyForVersion(): boolean {
  const [word, ...more] = process.argv.slice(2);
  const bySetting = Object.keys(process.env).some((name) => /^SYNCER_(?!CONFIG)/.test(name));
  return more.length === 0 && /^(version|--version|-V)$/.test(word ?? '') && !bySetting;
}

async function runWhole(): Promise<void> {
  // If Node exits because nothing is left to do, although the run has not ended, that is a failure.
  process.exitCode = 1;
  const isInexact = hasInexactNames();
  if (isInexact) {
    const { useExactPaths } = await import('./shell/process/exact-paths.ts');
    const fault = useExactPaths();
    if (fault !== undefined) return void process.stderr.write(`${fault}\n`);
  }
  // For slow disks, and the kernel and the cache of a mount. libuv reads it when it starts them, for the first call.
  if (process.env['UV_THREADPOOL_SIZE'] === undefined) process.env['UV_THREADPOOL_SIZE'] = '16';
  const [
    { runProgram },
    { COMMANDS },
    { listenForSignals },
    { endInterrupted, endProcess, taken, tellCrash },
    { exactArguments, exactEnvironment },
    { calledAs },
    { descriptorOutput },
    { leaveTerminal },
    { standardInput },
  ] = await Promise.all([
    import('./run/run-program.ts'),
    import('../commands/index.ts'),
    import('./shell/process/signals.ts'),
    import('./shell/process/end-process.ts'),
    import('./shell/process/own-command-line.ts'),
    import('../commands/mount/called-as.ts'),
    import('./shell/output/descriptor-output.ts'),
    import('./shell/process/job-control.ts'),
    import('./shell/process/standard-input.ts'),
  ]);
  process.on('exit', () => leaveTerminal());
  process.on('uncaughtException', tellCrash);
  const [, program = '', ...words] = process.argv;
  const env = isInexact ? exactEnvironment(process.env) : process.env;
  let stdin: Readable | undefined;
  const io = {
    ...(await calledAs(program, exactArguments(words), env)),
    get stdin() {
      stdin = stdin || standardInput(process);
      return stdin;
    },
    stdout: descriptorOutput(1) || process.stdout,
    stderr: process.stderr,
    signal: listenForSignals(process, (code) => void endInterrupted(process, code, 0)),
    onToggle: (listener: () => void) => process.on('SIGUSR2', listener),
  };
  const code = await runProgram(COMMANDS, io);
  await taken(process.stderr, io.signal);
  if (io.signal.aborted) await endInterrupted(process, code, LEAVE_MS);
  else endProcess(process, code);
}

/** How long an interrupted run waits for calls of the system that are still going on, in milliseconds. */
const LEAVE_MS = 500;

/** Whether Node may have replaced bytes of a path, because they are not UTF-8. */
function hasInexactNames(): boolean {
  const { argv, env } = process;
  const isInexact = (name = '') => name.includes('\ufffd');
  try {
    return argv.some(isInexact) || Object.values(env).some(isInexact) || isInexact(process.cwd());
  } catch {
    // The current directory was deleted.
    return false;
  }
}
