import { parseToken } from '../../backends/auth/oauth-token.ts';
import type { Backend } from '../../backends/backend.ts';
import { type RunOfRclone, rcloneToAsk } from '../../backends/rclone/index.ts';
import { shownType } from '../../config/option-sources.ts';
import type { ResolvedRemote } from '../../config/resolve-options.ts';
import type { Context } from '../../core/context.ts';
import type { LogEvent } from '../../core/events.ts';
import { formatRfc3339NanoUtc, modTimeFromMs } from '../../core/mod-time.ts';
import { logText } from '../../shell/log/log-text.ts';

/**
 * The backend of rclone if it opens the remote, because its own backend leaves it to an rclone that is installed and new
 * enough. Connection strings without a section are never left to it.
 *
 * @param isUsable whether there is such an rclone
 */
export async function rcloneInstead(
  { spec, backend, options }: ResolvedRemote<Backend>,
  backends: readonly Backend[],
  isUsable: () => Promise<boolean>,
): Promise<Backend | undefined> {
  if (spec.name.startsWith(':') || backend.isLeftToRclone?.(options) !== true) return undefined;
  return (await isUsable()) ? backends.find(({ servesOthers }) => servesOthers) : undefined;
}

/** Whether an rclone is installed that can open remotes. Never rejects. */
export async function isRcloneUsable(run: RunOfRclone): Promise<boolean> {
  const { installedRclone } = await import('../../backends/rclone/rclone-program.ts');
  return installedRclone(rcloneToAsk(run)).then(
    () => true,
    () => false,
  );
}

/**
 * The line about a remote whose login only rclone can renew: that rclone opens it, or, if its own backend does, when the
 * login ends. The error of one that is over says the same.
 */
export function loginLog(
  remote: string,
  backend: Backend | undefined,
  options: Readonly<Record<string, string>>,
  { clock }: Context,
): LogEvent | undefined {
  if (backend === undefined) {
    const text = 'opened through rclone, which can renew its login: it has no client_id of its own';
    return logText('info', text, remote);
  }
  if (remote.startsWith(':')) return undefined;
  const login = loginWithoutRclone(backend, options, clock.now());
  return login?.isOver === false ? logText('notice', login.text, remote) : undefined;
}

/** What becomes of a login that only rclone can renew, where none is; `undefined` of a remote with another login. */
export function loginWithoutRclone(
  backend: Backend,
  options: Readonly<Record<string, string>>,
  nowMs: number,
): { readonly isOver: boolean; readonly text: string } | undefined {
  if (backend.isLeftToRclone?.(options) !== true) return undefined;
  const token = parseToken(options['token'] ?? '');
  if (token === undefined)
    return { isOver: true, text: `not logged in yet; ${howToLogIn(backend)}` };
  const { expiresMs } = token;
  const isOver = expiresMs !== undefined && expiresMs <= nowMs;
  const soon = expiresMs === undefined ? 'will expire' : `expires at ${rfc3339(expiresMs)}`;
  const text = `its login ${isOver ? 'has expired' : soon} and cannot be renewed without a client_id`;
  return { isOver, text: `${text}; ${howToLogIn(backend)}` };
}

function howToLogIn(backend: Backend): string {
  const help = `"syncer help backend ${shownType(backend)}"`;
  return `install rclone 1.70 or newer, which then opens it, or register your own application: see ${help}`;
}

const rfc3339 = (ms: number) => formatRfc3339NanoUtc(modTimeFromMs(ms));
