import { parseToken } from '../../backends/auth/oauth-token.ts';
import type { Backend } from '../../backends/backend.ts';
import type { RcloneToAsk } from '../../backends/rclone/index.ts';
import { shownType } from '../../config/option-sources.ts';
import type { ResolvedRemote } from '../../config/resolve-options.ts';
import { formatRfc3339NanoUtc, modTimeFromMs } from '../../core/mod-time.ts';

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
export async function isRcloneUsable(asked: RcloneToAsk): Promise<boolean> {
  const { installedRclone } = await import('../../backends/rclone/rclone-program.ts');
  return installedRclone(asked).then(
    () => true,
    () => false,
  );
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
