import type { Socket } from 'node:net';
import { join } from 'node:path';
import { answerControl, ControlFault, type ControlServices } from './answer-control.ts';
import type { ControlAnswer, ControlEvent, ControlRequest } from './control-protocol.ts';

const NAME = 'control.sock';
const FOLDER = 'webhook';

type Env = Readonly<Record<string, string | undefined>>;

/**
 * The default path of a server's control socket: in the runtime directory of the service, or in that of the user;
 * `undefined` if there is none.
 */
export function serverControlPath(env: Env, uid: number): string | undefined {
  const own = env['RUNTIME_DIRECTORY']?.split(':', 1)[0];
  return own ? join(own, NAME) : controlPaths(env).find((path) => uid === 0 || mayUse(path, env));
}

/** Where a server's control socket may lie, the likeliest first. */
export function controlPaths(env: Env): string[] {
  const user = env['XDG_RUNTIME_DIR'];
  return [...(user ? [join(user, FOLDER, NAME)] : []), join('/run', FOLDER, NAME)];
}

function mayUse(path: string, env: Env): boolean {
  const user = env['XDG_RUNTIME_DIR'];
  return user !== undefined && path.startsWith(user);
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
