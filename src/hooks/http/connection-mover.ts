import type { Socket } from 'node:net';

/** What a handler gives in place of an answer where another thread has to give it. */
export const ELSEWHERE = 'elsewhere';

/** What is remembered of a connection for the choice of its thread. */
export interface ConnectionPlace {
  /** The piece of time in which a request came last. */
  activeTick: number;
  /** It is not moved on before this piece of time. */
  staysUntil: number;
}

/** A connection on its way to another thread. */
export interface MovingConnection {
  readonly socket: Socket;
  /** `ip:port`. */
  readonly remoteAddress: string;
  /** What was read of it and nobody has answered. */
  readonly bytes: Buffer;
  /** Another thread has to answer. */
  readonly why: 'request' | 'balance';
  /** It counts among the requests that are being answered, until the other thread has begun. */
  readonly isBusy: boolean;
}

/** Moves connections to other threads. */
export interface ConnectionMover {
  /** Some requests are answered elsewhere; their bodies are kept until that is known. */
  readonly handsRequestsOn: boolean;
  /** Told of every request when its first bytes are there: whether its connection is to go on elsewhere. */
  movesOn(place: ConnectionPlace): boolean;
  /** Takes a connection over and closes it here when it is open there. False where that cannot be: then it stays. */
  take(moving: MovingConnection): boolean;
}
