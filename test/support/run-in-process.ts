import { Readable, Writable } from 'node:stream';
import { COMMANDS } from '../../commands/index.ts';
import { runProgram } from '../../src/run/run-program.ts';
import type { CommandSummary } from '../../src/shell/command-line/command.ts';

/** How a run of the program inside this process ended. */
export interface EndedInProcess {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/**
 * Runs the program without a process of its own: for tests that run it hundreds of times. With `isTerminal` its output
 * is none that can show a screen.
 */
export async function runInProcess(
  argv: readonly string[],
  env: NodeJS.ProcessEnv,
  how: RunInProcess = {},
): Promise<EndedInProcess> {
  const { code, stdout, stderr } = await runForBytes(argv, env, how);
  return { code, stdout: stdout.toString(), stderr };
}

interface RunInProcess {
  readonly input?: string | Uint8Array;
  readonly isTerminal?: boolean;
  /** Those of the program; default: all that there are. */
  readonly commands?: readonly CommandSummary[];
}

/** As `runInProcess`, for output that is no text. */
export async function runForBytes(
  argv: readonly string[],
  env: NodeJS.ProcessEnv,
  { input = '', isTerminal = false, commands = COMMANDS }: RunInProcess = {},
): Promise<{ readonly code: number; readonly stdout: Buffer; readonly stderr: string }> {
  const [stdout, stderr] = [collector(), collector()];
  const code = await runProgram(commands, {
    argv,
    env,
    stdin: Readable.from(pieces(Buffer.from(input)), { objectMode: false }),
    stdout: Object.assign(stdout.stream, { isTTY: isTerminal }),
    stderr: stderr.stream,
    signal: new AbortController().signal,
  });
  return { code, stdout: stdout.bytes(), stderr: stderr.bytes().toString() };
}

/** As they come through a pipe. */
function* pieces(input: Buffer): Generator<Buffer> {
  for (let at = 0; at < input.length; at += 50_000) yield input.subarray(at, at + 50_000);
}

function collector() {
  const chunks: Buffer[] = [];
  const stream = new Writable({
    write(chunk: Buffer, _encoding, done) {
      chunks.push(Buffer.from(chunk));
      done();
    },
  });
  return { stream, bytes: () => Buffer.concat(chunks) };
}
