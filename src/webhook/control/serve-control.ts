import type { Socket } from 'node:net';
import { answerControl, ControlFault, type ControlServices } from './answer-control.ts';
import type { ControlAnswer, ControlEvent, ControlRequest } from './control-protocol.ts';
import { splitLines } from './control-socket.ts';

/** Questions are short. */
const MAX_QUESTION = 64 << 10;
/** Maximum unsent bytes per client; a slower client is disconnected. */
const MAX_UNSENT = 16 << 20;

/** Serves one connection of the control socket until it closes. */
export function serveControl(socket: Socket, services: ControlServices): void {
  const lines = splitLines(MAX_QUESTION);
  const ends: (() => void)[] = [];
  const send = (value: ControlAnswer | ControlEvent) => {
    if (socket.destroyed) return;
    socket.write(`${JSON.stringify(value)}\n`);
    if (socket.writableLength > MAX_UNSENT) socket.destroy();
  };
  const peer = { send, atEnd: (end: () => void) => void ends.push(end) };
  socket.setEncoding('utf8');
  socket.on('error', () => {});
  socket.on('end', () => socket.end());
  socket.on('close', () => {
    for (const end of ends.splice(0)) end();
  });
  socket.on('data', (piece: string) => {
    try {
      for (const line of lines(piece)) send(answerLine(line, services, peer));
    } catch {
      socket.destroy();
    }
  });
  socket.resume();
}

function answerLine(
  line: string,
  services: ControlServices,
  peer: Parameters<typeof answerControl>[2],
): ControlAnswer {
  const request = JSON.parse(line) as ControlRequest;
  const number = Number(request?.number);
  try {
    return { number, result: answerControl(request, services, peer) };
  } catch (thrown) {
    if (!(thrown instanceof ControlFault)) throw thrown;
    return { number, error: thrown.message };
  }
}
