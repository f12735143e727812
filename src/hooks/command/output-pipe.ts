import { closeSync } from 'node:fs';
import { Socket } from 'node:net';

/** One pipe for standard output and standard error, so that what is written stays in its order. */
export interface OutputPipe {
  /** The descriptor for the command; to be closed when the command has it. */
  readonly writeEnd: number;
  readonly output: Socket;
  /** Closes the end for the command. */
  release(): void;
}

/** Makes pipes. */
export type MakePipe = () => OutputPipe;

/** What is used of koffi. */
interface Koffi {
  load(library: null): {
    func(
      name: string,
      result: string,
      parameters: readonly string[],
    ): (...args: unknown[]) => number;
  };
}

const CLOSE_ON_EXEC = 0o2000000;

/**
 * Gives a maker of pipes, which Node has none of itself. `undefined` where the C library cannot be reached: the two
 * streams must then be read apart.
 */
export async function loadPipes(): Promise<MakePipe | undefined> {
  try {
    // Not a literal: bundlers must leave a package with native parts where it is.
    const name = 'koffi';
    const { default: koffi } = (await import(name)) as { default: Koffi };
    const pipe2 = koffi.load(null).func('pipe2', 'int', ['int *', 'int']);
    return () => makePipe(pipe2);
  } catch {
    return undefined;
  }
}

function makePipe(pipe2: (...args: unknown[]) => number): OutputPipe {
  const ends = new Int32Array(2);
  if (pipe2(ends, CLOSE_ON_EXEC) !== 0) throw new Error('pipe2: too many open files');
  const [readEnd = 0, writeEnd = 0] = ends;
  const output = new Socket({ fd: readEnd, readable: true, writable: false });
  return { writeEnd, output, release: () => closeSync(writeEnd) };
}
