import { Readable, Writable } from 'node:stream';
import { COMMANDS } from '../../commands/index.ts';
import { runProgram } from '../../src/app/run-program.ts';

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
  { input = '', isTerminal = false }: { input?: string | Uint8Array; isTerminal?: boolean } = {},
): Promise<EndedInProcess> {
  const [stdout, stderr] = [collector(), collector()];
  const code = await runProgram(COMMANDS, {
    argv,
    env,
    stdin: Readable.from(input === '' ? [] : [Buffer.from(input)], { objectMode: false }),
    stdout: Object.assign(stdout.stream, { isTTY: isTerminal }),
    stderr: stderr.stream,
    signal: new AbortController().signal,
  });
  return { code, stdout: stdout.text(), stderr: stderr.text() };
}

function collector() {
  const chunks: Buffer[] = [];
  const stream = new Writable({
    write(chunk: Buffer, _encoding, done) {
      chunks.push(Buffer.from(chunk));
      done();
    },
  });
  return { stream, text: () => Buffer.concat(chunks).toString() };
}
