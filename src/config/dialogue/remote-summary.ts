import { parseToken } from '../../backends/auth/oauth-token.ts';
import { isReference } from '../../system/secret-reference.ts';
import { reveal } from '../obscure.ts';
import { isPassword, kindOf } from '../option-sources.ts';
import { type Draft, lacksRclone, type WizardKind } from './draft.ts';

/** A remote of the configuration in a few words. */
export type RemoteSummary = Readonly<ReturnType<typeof summarise>>;

/** The summary of a section. `nowMs` is the time, in milliseconds since the epoch. */
export function summarise(
  name: string,
  values: ReadonlyMap<string, string>,
  kinds: readonly WizardKind[],
  nowMs: number,
) {
  const type = values.get('type') ?? '';
  let kind = kindOf(type, kinds);
  // Of rclone's types that it was not asked about, only those options that the remote has.
  if (kind !== undefined && lacksRclone(kind)) {
    kind = { ...kind, options: kind.options.filter((option) => values.has(option.name)) };
  }
  const login = kind?.login !== undefined ? loginOf(values.get('token') ?? '', nowMs) : undefined;
  return {
    name,
    type,
    /** `undefined` for an unknown type. */
    kind,
    /** Where it points: a host, a path, a drive; `''` where nothing says so. */
    place: kind === undefined ? 'unknown type' : placeOf(kind, values),
    /** How its login is; `''` for storage without one. */
    login: login?.text ?? '',
    /** A new login is needed. */
    needsLogin: login?.isOver ?? false,
    /** As they stand in the file. */
    values,
  };
}

/** The remote as a draft to change, its passwords in clear; one that cannot be revealed stays as it is. */
export function draftOf(
  {
    name,
    values,
    needsLogin = false,
  }: Pick<RemoteSummary, 'name' | 'values'> & Partial<RemoteSummary>,
  kind: WizardKind,
): Draft {
  const clear = new Map<string, string>();
  for (const [key, value] of values) {
    if (key === 'type') continue;
    clear.set(key, value);
    if (value === '' || !isPassword(kind, key)) continue;
    try {
      clear.set(key, reveal(value));
    } catch {
      // It stays as it is.
    }
  }
  return { name, kind, values: clear, original: clear, needsLogin };
}

function placeOf({ type, login, isOfRclone }: WizardKind, values: ReadonlyMap<string, string>) {
  const told = (key: string) => values.get(key) ?? '';
  const found = (login?.finds ?? [])
    .map(told)
    .filter((text) => text !== '')
    .join(' ');
  const store = [told('provider'), told('region')].filter((text) => text !== '').join(' ');
  if (isOfRclone) {
    const keys = ['host', 'url', 'endpoint', 'remote', 'upstreams'];
    return keys.map(told).find((text) => text !== '') ?? 'through rclone';
  }
  const here = type === 'local' ? 'this machine' : type === 'memory' ? 'the memory of a run' : '';
  return told('endpoint') || told('remote') || found || store || here;
}

function loginOf(token: string, nowMs: number): { text: string; isOver: boolean } {
  if (isReference(token)) return { text: 'login by reference', isOver: false };
  const read = parseToken(token);
  if (read === undefined) return { text: 'no login', isOver: true };
  if (read.refreshToken !== undefined) return { text: 'logged in', isOver: false };
  const { expiresMs } = read;
  if (expiresMs === undefined) return { text: 'login expiry unknown', isOver: false };
  if (expiresMs <= nowMs) return { text: 'login expired', isOver: true };
  const minutes = Math.ceil((expiresMs - nowMs) / 60_000);
  const hours = Math.floor(minutes / 60);
  const days = Math.floor(hours / 24);
  const length = minutes < 120 ? `${minutes} min` : hours < 48 ? `${hours} h` : `${days} days`;
  return { text: `login valid for ${length}`, isOver: false };
}
