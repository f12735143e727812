import type { About } from '../../core/entry-details.ts';
import { toSyncerError } from '../../core/errors.ts';
import type { Finding } from '../../core/finding.ts';
import { jsonObject } from '../../core/json-object.ts';
import { formatSizeUnit } from '../../go/quantities.ts';
import { shellWord } from '../../system/shell-words.ts';
import type { TokenKeeper } from '../auth/token-keeper.ts';
import type { Drive } from './drive-store.ts';
import type { DriveSettings } from './settings.ts';

const DAY_MS = 86_400_000;

/** What can be found out about a drive by reading. */
export async function* inspectDrive(
  drive: Drive,
  keeper: TokenKeeper,
  about: (drive: Drive) => Promise<About>,
): AsyncGenerator<Finding> {
  const { clock } = drive.client.context;
  try {
    const { type } = await drive.known();
    yield { check: 'drive', verdict: 'ok', text: `a ${type} drive` };
    const { total, used, free, trashed } = await about(drive);
    if (total === undefined || free === undefined) {
      yield { check: 'quota', verdict: 'ok', text: `no limit, ${formatSizeUnit(used ?? 0)} used` };
    } else {
      const verdict = free <= 0 ? 'failed' : free < total * 0.05 ? 'warning' : 'ok';
      const text = `${formatSizeUnit(free)} of ${formatSizeUnit(total)} free`;
      yield { check: 'quota', verdict, text };
    }
    if (trashed !== undefined) {
      const text = `${formatSizeUnit(trashed)}, which count as used`;
      yield { check: 'recycle-bin', verdict: 'ok', text };
    }
  } catch (thrown) {
    drive.op.signal.throwIfAborted();
    yield { check: 'drive', verdict: 'unknown', text: toSyncerError(thrown).message };
  }
  // Asking for the drive has renewed a login that was due.
  yield loginFinding(drive.settings, keeper, clock.now());
  yield permissions(drive, keeper);
  const check = 'throttling';
  yield drive.client.limiter.wasThrottled
    ? { check, verdict: 'warning', text: 'the service throttles requests at the moment' }
    : { check, verdict: 'ok', text: 'none during these checks' };
}

/** How the login of a drive is, as far as it is known without a request. */
export function loginFinding(
  { login, remote }: DriveSettings,
  keeper: TokenKeeper,
  nowMs: number,
): Finding {
  const check = 'login';
  if (login.byApplication) {
    return { check, verdict: 'ok', text: 'of the application: renewed without a person' };
  }
  const hasOwn = login.clientId !== '';
  const mend = hasOwn
    ? `syncer config reconnect ${shellWord(`${remote}:`)}`
    : 'syncer help backend onedrive';
  const { refreshToken, expiresMs } = keeper.current ?? {};
  if (keeper.current === undefined) return { check, verdict: 'failed', text: 'none', mend };
  if (refreshToken !== undefined && hasOwn) {
    return { check, verdict: 'ok', text: 'renewed automatically if used every 90 days' };
  }
  if (expiresMs === undefined) return { check, verdict: 'ok', text: 'of unknown length' };
  const days = Math.floor((expiresMs - nowMs) / DAY_MS);
  const why = hasOwn ? '' : ' without a client_id';
  if (expiresMs <= nowMs) {
    const text = hasOwn ? 'has expired' : `has expired and cannot be renewed${why}`;
    return { check, verdict: 'failed', text, mend };
  }
  const text = `ends in ${days < 1 ? 'less than a day' : `${days} days`} and cannot be renewed${why}`;
  return { check, verdict: expiresMs - nowMs < 7 * DAY_MS ? 'warning' : 'ok', text, mend };
}

/** Business accounts have their permissions in the token (the claim `scp`, RFC 8693); others do not show them. */
function permissions({ settings }: Drive, keeper: TokenKeeper): Finding {
  const check = 'permissions';
  const [, claims = ''] = keeper.current?.accessToken.split('.') ?? [];
  const { scp } = jsonObject<{ scp?: unknown }>(`${Buffer.from(claims, 'base64url')}`) ?? {};
  if (typeof scp !== 'string') {
    return { check, verdict: 'unknown', text: 'the login does not show them' };
  }
  const scopes = scp.split(' ').filter(Boolean);
  const text = scopes.join(', ');
  if (scopes.some((scope) => /^(?:Files|Sites)\.ReadWrite(?:\.|$)/i.test(scope))) {
    return { check, verdict: 'ok', text };
  }
  const mend = `syncer config reconnect ${shellWord(`${settings.remote}:`)}`;
  return { check, verdict: 'warning', text: `${text}: files cannot be written`, mend };
}
