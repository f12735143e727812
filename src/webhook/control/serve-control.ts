import type { Socket } from 'node:net';
import { join } from 'node:path';
import { serveLines } from '../../system/serve-lines.ts';
import { answerControl, type ControlServices } from './answer-control.ts';
import type { ControlEvent, ControlQuestion } from './control-protocol.ts';

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

/** Serves one connection of the control socket until it closes. */
export function serveControl(socket: Socket, services: ControlServices): void {
  serveLines<ControlQuestion, ControlEvent>(socket, (question, peer) =>
    answerControl(question, services, peer),
  );
}
