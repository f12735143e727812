import type { ServerResponse } from 'node:http';
import { drained } from '../../core/byte-collector.ts';
import { type HookAnswer, mayHaveBody } from './answer.ts';

/** The length of a longer body is not said, as in Go. */
const MAX_MEASURED = 2048;

/** Whether an answer says how long its body is; where it does not, the body goes in chunks or ends the connection. */
export function isMeasured({ body, rest }: HookAnswer): boolean {
  return rest === undefined && body.length <= MAX_MEASURED;
}

/** What can be sent at once of an answer's body; a short one as text, which goes in one piece with the head. */
export function bodyToSend({ body, status }: HookAnswer, method: string): string | Buffer {
  if (method === 'HEAD' || !mayHaveBody(status)) return '';
  return body.length > MAX_MEASURED ? body : body.toString('latin1');
}

/**
 * Sends what a command still writes.
 * @param waits told whether the command is waited for, or the client
 */
export async function sendRest(
  response: ServerResponse,
  rest: AsyncIterable<Buffer>,
  waits: (forCommand: boolean) => void,
): Promise<void> {
  response.on('error', () => {});
  waits(true);
  for await (const piece of rest) {
    if (piece.length === 0) continue;
    if (response.destroyed) return;
    if (response.write(piece)) continue;
    waits(false);
    await drained(response);
    waits(true);
  }
  waits(false);
}
