import { join } from 'node:path';

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
