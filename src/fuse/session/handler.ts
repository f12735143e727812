import type { MountOps } from '../../vfs/mount-ops.ts';
import type { InitAnswer } from '../wire/init.ts';
import type { RequestReader } from '../wire/request-reader.ts';
import type { Answers } from './answers.ts';
import type { FuseCall } from './calls-in-flight.ts';
import type { DirStreams } from './dir-streams.ts';

/** What handlers need. */
export interface HandlerParts {
  readonly ops: MountOps;
  readonly answers: Answers;
  readonly dirs: DirStreams;
  /** Handles of the files open for writing. */
  readonly writers: Set<number>;
  /** The features agreed on with the kernel. */
  agreed: Pick<InitAnswer, 'writeBackCache'>;
}

/**
 * Handles one type of request. It reads the request before it first waits: the buffer then takes the next one. A
 * rejection becomes the response's errno.
 */
export type Handler = (
  parts: HandlerParts,
  call: FuseCall,
  request: RequestReader,
) => Promise<unknown>;

/** Handlers by opcode. */
export type HandlerTable = Readonly<Record<number, Handler>>;
