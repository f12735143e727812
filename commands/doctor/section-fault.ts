import { parseToken } from '../../src/backends/auth/oauth-token.ts';
import type { ConfigSections } from '../../src/config/ini-lines.ts';
import { parseRemoteSpec, type RemoteSpec } from '../../src/config/remote-spec.ts';
import { pathsOf } from '../../src/config/remotes-below.ts';
import {
  backendOptionInEnvironment,
  remoteKeyInEnvironment,
} from '../../src/config/remotes-in-environment.ts';
import { isReference } from '../../src/system/secret-reference.ts';
import { shellWord } from '../../src/system/shell-words.ts';
import { type CheckResult, failed } from './check.ts';

/** Types that rclone logs in to, with the options that are a login, of which one is needed. */
const LOGINS: Readonly<Record<string, readonly string[]>> = {
  box: ['token', 'access_token', 'box_config_file', 'config_credentials'],
  drive: ['token', 'service_account_file', 'service_account_credentials', 'env_auth'],
  dropbox: ['token'],
  'google photos': ['token'],
  gphotos: ['token'],
  hidrive: ['token'],
  drive_provider_a: ['token'],
  onedrive: ['token'],
  pcloud: ['token'],
  putio: ['token'],
  sharefile: ['token'],
  yandex: ['token'],
  zoho: ['token'],
};

/** Types over another remote, which they name in `remote` or `upstreams`. */
const OVER_OTHERS = /^(?:alias|archive|cache|chunker|combine|compress|crypt|hasher|union)$/;

/**
 * What is wrong with a section whatever its server says; `undefined`: nothing that is known without a request.
 *
 * @param isByRclone rclone opens it; other remotes say themselves what is wrong with their logins
 */
export function sectionFault(
  name: string,
  isByRclone: boolean,
  config: ConfigSections,
  env: NodeJS.ProcessEnv,
  nowMs: number,
): CheckResult | undefined {
  const section = config.get(name);
  const type = section?.get('type') ?? '';
  const option = (key: string) =>
    remoteKeyInEnvironment(env, name, key)?.value ||
    backendOptionInEnvironment(env, type, key)?.value ||
    section?.get(key) ||
    '';
  const edit = `syncer config edit ${shellWord(name)}`;
  if (type === 'crypt' && option('password') === '')
    return failed(name, 'crypt without a password', edit);
  if (OVER_OTHERS.test(type)) {
    const spec: RemoteSpec = { name, overrides: new Map(), path: '' };
    const paths = pathsOf(spec, config, env);
    if (paths.length === 0) return failed(name, `${type} without the remote it stands over`, edit);
    const gone = paths.flatMap(remoteIn).find((other) => !isThere(other, config, env));
    if (gone !== undefined) return failed(name, `there is no remote "${gone}"`, edit);
  }
  const logins = LOGINS[type];
  if (logins === undefined || !isByRclone || /^(?:true|t|1)$/i.test(option('client_credentials')))
    return undefined;
  const reconnect = `syncer config reconnect ${shellWord(`${name}:`)}`;
  if (logins.every((key) => option(key) === ''))
    return failed(name, 'not logged in yet', reconnect);
  const text = option('token');
  const token = isReference(text) ? undefined : parseToken(text);
  const isOver = token?.refreshToken === undefined && (token?.expiresMs ?? nowMs + 1) <= nowMs;
  return isOver
    ? failed(name, 'the login has expired and cannot be renewed', reconnect)
    : undefined;
}

function remoteIn(path: string): readonly string[] {
  try {
    const { name } = parseRemoteSpec(path);
    return name === '' || name.startsWith(':') ? [] : [name];
  } catch {
    return [];
  }
}

function isThere(name: string, config: ConfigSections, env: NodeJS.ProcessEnv): boolean {
  return config.has(name) || remoteKeyInEnvironment(env, name, 'type') !== undefined;
}
