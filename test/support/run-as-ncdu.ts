import { Readable, Writable } from 'node:stream';
import { COMMANDS } from '../../commands/index.ts';
import { runProgram } from '../../src/run/run-program.ts';
import type { Invocation } from '../../src/shell/command-line/command.ts';

/** Does work of the browser as the program does it, without a screen; resolves to what it logged, too. */
export async function runAsNcdu(
  spec: string,
  env: Readonly<Record<string, string>>,
  work: (invocation: Invocation) => Promise<void>,
): Promise<{ readonly code: number; readonly log: string }> {
  const commands = COMMANDS.filter(({ name }) => name === 'ncdu').map((command) => ({
    ...command,
    load: async () => work,
  }));
  let log = '';
  const sink = () =>
    new Writable({
      write(chunk, _encoding, done) {
        log += chunk;
        done();
      },
    });
  const code = await runProgram(commands, {
    argv: ['ncdu', '--no-history', spec],
    env,
    stdin: Readable.from([], { objectMode: false }),
    stdout: sink(),
    stderr: sink(),
    signal: new AbortController().signal,
  });
  return { code, log };
}
