import { loginLength } from '../../auth/login-length.ts';
import type { TokenKeeper } from '../../auth/token-keeper.ts';
import type { Op } from '../../core/remote.ts';
import { hasStatus } from './client/graph-error.ts';
import type { DriveStore } from './store.ts';

/** Who is logged in, which drive it is, and how long the login lasts. */
export async function userInfo(
  store: DriveStore,
  keeper: TokenKeeper,
  op: Op,
): Promise<Readonly<Record<string, string>>> {
  const json = await account(store, op);
  const drive = await store.drive(op);
  const told = {
    id: json['id'],
    displayName: json['displayName'],
    mail: json['mail'],
    userPrincipalName: json['userPrincipalName'],
    driveId: drive.id,
    driveType: drive.type,
    login: loginLength(keeper.current),
  };
  const texts = Object.entries(told).filter(
    ([, value]) => typeof value === 'string' && value !== '',
  );
  return Object.fromEntries(texts) as Record<string, string>;
}

/** Logins without the permission `User.Read` do not tell whose they are. */
async function account(store: DriveStore, op: Op): Promise<Readonly<Record<string, unknown>>> {
  const request = { method: 'GET', to: '/me', doing: 'ask for', about: 'the account' } as const;
  try {
    return (await store.client.call(request, op)).json;
  } catch (thrown) {
    if (!hasStatus(thrown, 403)) throw thrown;
    return {};
  }
}
