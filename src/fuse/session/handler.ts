import type { MountOps } from '../../vfs/mount-ops.ts';
import type { InitAnswer } from '../wire/init.ts';
import type { RequestReader } from '../wire/request-reader.ts';
import type { Answers } from './answers.ts';
import type { FuseCall } from './calls-in-flight.ts';
import type { DirStreams } from './dir-streams.ts';

/** What handlers of requests work with. */
export interface HandlerParts {
  readonly ops: MountOps;
  readonly answers: Answers;
  readonly dirs: DirStreams;
  /** Handles of the files that are open to be written. */
  readonly writers: Set<number>;
  /** What was agreed on with the kernel. */
  agreed: Pick<InitAnswer, 'writeBackCache'>;
}

/**
 * Answers one kind of request. It reads the request before it first waits: the buffer then takes the next one. A
 * rejection is answered with its errno.
 */
export type Handler = (
  parts: HandlerParts,
  call: FuseCall,
  request: RequestReader,
) => Promise<unknown>;

/** Handlers by opcode. */
export type HandlerTable = Readonly<Record<number, Handler>>;
