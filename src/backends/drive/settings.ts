import type { HashName } from '../../core/hash-names.ts';
import { shownRemote } from '../../core/remote-path.ts';
import { parseEncoding } from '../../names/name-encoding.ts';
import { OptionReader } from '../option-reader.ts';
import { oneForm } from './items/graph-item.ts';
import { DRIVE_OPTIONS, permissionWords, wrongPermissions } from './options.ts';

/** Types of drives, as Graph names them. */
export type DriveType = 'personal' | 'business' | 'documentLibrary';

/** The options of a drive, checked and parsed. Sizes are in bytes. */
export type DriveSettings = Readonly<ReturnType<typeof readSettings>>;

/** Fragments of an upload must be multiples of this. */
const CHUNK_UNIT = 320 * 1024;

/** Reads the options of a drive. Throws `config` with the option's name for an invalid value. */
export function readSettings(name: string, options: Readonly<Record<string, string>>) {
  const remote = shownRemote(name);
  const read = new OptionReader(remote, options, DRIVE_OPTIONS);
  const cloud = CLOUDS[read.text('region')];
  if (cloud === undefined) {
    throw read.error('region', `must be one of ${Object.keys(CLOUDS).join(', ')}`);
  }
  if (read.text('tenant_url') !== '') {
    const why = 'is not supported: it uses a token copied from a browser; log in with client_id';
    throw read.error('tenant_url', why);
  }
  const graphUrl = readUrl(read, 'graph_url', cloud.graph);
  graphUrl.pathname = graphUrl.pathname.replace(/\/+$/, '');
  const driveType = read.text('drive_type');
  if (driveType !== '' && !isDriveType(driveType)) {
    const why = `must be personal, business or documentLibrary, not "${driveType}"`;
    throw read.error('drive_type', why);
  }
  const login = readLogin(read, cloud.login);
  const hash = oneOf(read, 'hash_type', ['auto', 'quickxor', 'sha1', 'sha256', 'crc32', 'none']);
  const chunkSize = read.size('chunk_size');
  if (chunkSize < CHUNK_UNIT || chunkSize % CHUNK_UNIT !== 0) {
    throw read.error('chunk_size', 'must be a multiple of 320Ki (327680 bytes)');
  }
  const uploadCutoff = read.text('upload_cutoff') === 'off' ? 0 : read.size('upload_cutoff');
  // The largest file that every drive accepts in one request.
  if (uploadCutoff > 4 * 1024 ** 2) throw read.error('upload_cutoff', 'must be at most 4Mi');
  const permissions = read.text('metadata_permissions');
  const wrong = wrongPermissions(permissions);
  if (wrong !== undefined) throw read.error('metadata_permissions', wrong);
  const words = permissionWords(permissions);
  return {
    /** The name that identifies the remote. */
    name,
    /** Its name in messages. */
    remote,
    login,
    /** The Graph API with its version, no slash at the end. */
    graphUrl,
    /** `''`: the account's own drive. */
    driveId: oneForm(read.text('drive_id')),
    /** `undefined`: not configured; the drive is requested. */
    driveType: driveType === '' ? undefined : driveType,
    /** `''`: the root of the drive. */
    rootFolderId: oneForm(read.text('root_folder_id')),
    showsPackages: read.bool('expose_onenote_files'),
    listChunk: read.int('list_chunk'),
    hashes: hash === 'none' ? [] : [hash === 'auto' ? 'quickxor' : (hash as HashName)],
    encoding: parseEncoding(read.text('encoding')),
    /** Larger sizes, which rclone accepts, are reduced: a fragment must be smaller than 60Mi by Microsoft's documentation. */
    chunkSize: Math.min(chunkSize, 60 * 1024 ** 2 - CHUNK_UNIT),
    /** Smaller files are written in one request. */
    uploadCutoff,
    overridesScanner: read.bool('av_override'),
    listsByDelta: read.bool('delta') && cloud !== CLOUDS['cn'],
    /** Whether metadata has the permissions of items: read, written, and whether a failure to write them is only logged. */
    permissions: {
      read: words.includes('read'),
      write: words.includes('write'),
      failOk: words.includes('failok'),
    },
    copiesAcross: read.bool('server_side_across_configs'),
    noVersions: read.bool('no_versions'),
    hardDelete: read.bool('hard_delete'),
    link: {
      scope: oneOf(read, 'link_scope', ['anonymous', 'organization']),
      type: oneOf(read, 'link_type', ['view', 'edit', 'embed']),
      password: read.text('link_password'),
    },
    /** The global cloud, whose links have known forms. */
    isGlobal: cloud === CLOUDS['global'],
    /** The cloud in China: requests name an item in a folder, not a path, and no changes are listed. */
    isChina: cloud === CLOUDS['cn'],
  };
}

/** Whether this is one of Graph's types of drives. */
export function isDriveType(value: unknown): value is DriveType {
  return value === 'personal' || value === 'business' || value === 'documentLibrary';
}

function oneOf(read: OptionReader, name: string, words: readonly string[]): string {
  const text = read.text(name);
  if (words.includes(text)) return text;
  throw read.error(name, `must be one of ${words.join(', ')}, not "${text}"`);
}

/** Microsoft's clouds by rclone's names: the Graph API with its version, and where people and programs log in. */
const CLOUDS: Readonly<Record<string, { readonly graph: string; readonly login: string }>> = {
  global: {
    graph: 'https://graph.microsoft.com/v1.0',
    login: 'https://login.microsoftonline.com',
  },
  us: { graph: 'https://graph.microsoft.us/v1.0', login: 'https://login.microsoftonline.us' },
  de: { graph: 'https://graph.microsoft.de/v1.0', login: 'https://login.microsoftonline.de' },
  cn: {
    graph: 'https://microsoftgraph.chinacloudapi.cn/v1.0',
    login: 'https://login.chinacloudapi.cn',
  },
};

/** Reads the options of the login; `host` is the login host of the cloud. Throws `config`. */
function readLogin(read: OptionReader, host: string) {
  const byApplication = read.bool('client_credentials');
  const tenant = read.text('tenant');
  if (!/^[\w.-]+$/.test(tenant)) throw read.error('tenant', 'must be a name or an id');
  if (byApplication) {
    const why = 'for client_credentials';
    for (const name of ['client_id', 'client_secret']) {
      if (read.text(name) === '') throw read.missing(name, why);
    }
    const isOfAll = ['common', 'organizations', 'consumers'].includes(tenant);
    if (isOfAll && read.text('token_url') === '') {
      throw read.error('tenant', `must be the ID of the organisation ${why}, not "${tenant}"`);
    }
  }
  const base = `${host}/${tenant}/oauth2/v2.0`;
  const asked = read.text('access_scopes').split(/[\s,]+/);
  const withoutSites = read.bool('disable_site_permission');
  return {
    clientId: read.text('client_id'),
    clientSecret: read.text('client_secret'),
    /** The text of the option, which may hold no valid login. */
    token: read.text('token'),
    authUrl: readUrl(read, 'auth_url', `${base}/authorize`),
    tokenUrl: readUrl(read, 'token_url', `${base}/token`),
    tenant,
    /** Of an application, the permissions that an administrator has granted to it. */
    scopes: byApplication
      ? ['.default']
      : asked.filter((scope) => scope && !(withoutSites && scope === 'Sites.Read.All')),
    /** The application itself logs in, not a person (client credentials of OAuth 2.0). */
    byApplication,
  };
}

function readUrl(read: OptionReader, name: string, ifUnset: string): URL {
  const text = read.text(name) || ifUnset;
  const url = URL.parse(text);
  if (url !== null && /^https?:$/.test(url.protocol)) return url;
  throw read.error(name, `"${text}" is not a URL of the form https://host/path`);
}
