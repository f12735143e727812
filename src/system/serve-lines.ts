import type { Socket } from 'node:net';
import { type ErrorCode, SyncerError } from '../core/errors.ts';

/** The answer to a request: its number with a result or an error. */
export type LineAnswer =
  | { readonly number: number; readonly result: unknown }
  | { readonly number: number; readonly error: string; readonly code: ErrorCode };

/** One connection to a control socket. */
export interface LinePeer<Event> {
  /** Sends an event. A peer that does not read is disconnected. */
  readonly send: (event: Event) => void;
  /** Bytes that the peer has not read yet. */
  readonly unsent: () => number;
  /** Calls `end` when the connection closes. */
  readonly atEnd: (end: () => void) => void;
}

/**
 * Serves one connection of a control socket until it closes: JSON, one value a line. Each question, an object with a
 * `number`, gets one answer with that number; events come beside the answers. A line that is no question closes the
 * connection.
 *
 * @param answer gives the result; throws `SyncerError` for the peer
 */
export function serveLines<Question, Event>(
  socket: Socket,
  answer: (question: Question, peer: LinePeer<Event>) => unknown,
): LinePeer<Event> {
  // Questions are short.
  const lines = splitLines(64 << 10);
  const ends: (() => void)[] = [];
  const send = (value: LineAnswer | Event) => {
    if (socket.destroyed) return;
    socket.write(`${JSON.stringify(value)}\n`);
    // A client that does not read is disconnected.
    if (socket.writableLength > 16 << 20) socket.destroy();
  };
  const peer: LinePeer<Event> = {
    send,
    unsent: () => socket.writableLength,
    atEnd: (end) => void ends.push(end),
  };
  const answerLine = (line: string): LineAnswer => {
    const question = JSON.parse(line) as Question & { readonly number?: unknown };
    const number = Number(question?.number);
    try {
      return { number, result: answer(question, peer) };
    } catch (thrown) {
      if (!(thrown instanceof SyncerError)) throw thrown;
      return { number, error: thrown.message, code: thrown.code };
    }
  };
  socket.setEncoding('utf8');
  socket.on('error', () => {});
  socket.on('end', () => socket.end());
  socket.on('close', () => {
    for (const end of ends.splice(0)) end();
  });
  socket.on('data', (piece: string) => {
    try {
      for (const line of lines(piece)) send(answerLine(line));
    } catch {
      socket.destroy();
    }
  });
  socket.resume();
  return peer;
}

/**
 * Makes lines of pieces of text.
 * @returns takes a piece and gives the lines that it completes; throws where one is longer than `maxLength`
 */
export function splitLines(maxLength: number): (piece: string) => string[] {
  let rest = '';
  return (piece) => {
    const parts = `${rest}${piece}`.split('\n');
    rest = parts.pop() ?? '';
    if (rest.length > maxLength) throw new Error('the line is too long');
    return parts.filter((line) => line !== '');
  };
}
