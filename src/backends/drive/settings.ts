import type { HashName } from '../../core/hash-names.ts';
import { type NameEncoding, parseEncoding } from '../../kit/name-encoding.ts';
import { OptionReader } from '../../kit/option-reader.ts';
import { DEFAULT_SCOPES } from './option-tables/login.ts';
import { DEFAULT_ENCODING } from './option-tables/transfer.ts';

interface Cloud {
  /** The Graph API with its version. */
  readonly graph: string;
  /** Where people and programs log in. */
  readonly login: string;
}

const CLOUDS: Readonly<Record<string, Cloud>> = {
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

/** Kinds of drives, as Graph names them. */
export type DriveType = 'personal' | 'business' | 'documentLibrary';

/** The options of a drive, checked and ready for use. Sizes are in bytes. */
export interface DriveSettings {
  readonly remote: string;
  readonly login: LoginSettings;
  /** The Graph API with its version, no slash at the end. */
  readonly graphUrl: URL;
  /** `''`: the account's own drive. */
  readonly driveId: string;
  /** `undefined`: not told, so that the drive is asked. */
  readonly driveType: DriveType | undefined;
  /** `''`: the root of the drive. */
  readonly rootFolderId: string;
  readonly showsPackages: boolean;
  readonly listChunk: number;
  readonly hashes: readonly HashName[];
  readonly encoding: NameEncoding;
  readonly chunkSize: number;
  readonly copiesAcross: boolean;
  readonly noVersions: boolean;
  readonly hardDelete: boolean;
  readonly link: { readonly scope: string; readonly type: string; readonly password: string };
  /** The cloud is the usual one: links have the forms known from it. */
  readonly isGlobal: boolean;
}

/** How to log in. */
export interface LoginSettings {
  readonly clientId: string;
  readonly clientSecret: string;
  /** The text of the option, which may hold no login or none that can be read. */
  readonly token: string;
  readonly authUrl: URL;
  readonly tokenUrl: URL;
  readonly tenant: string;
  readonly scopes: readonly string[];
}

/** Pieces of an upload must be multiples of this. */
const CHUNK_UNIT = 320 * 1024;
/** A piece must be smaller, by Microsoft's documentation. */
const CHUNK_LIMIT = 60 * 1024 ** 2;

/** Reads the options of a drive. Throws `config` with the option's name where a value makes no sense. */
export function readSettings(
  remote: string,
  options: Readonly<Record<string, string>>,
): DriveSettings {
  const read = new OptionReader(remote, options);
  const cloud = CLOUDS[read.text('region') || 'global'];
  if (cloud === undefined) {
    throw read.error('region', `must be one of ${Object.keys(CLOUDS).join(', ')}`);
  }
  const graphUrl = readUrl(read, 'graph_url', cloud.graph);
  graphUrl.pathname = graphUrl.pathname.replace(/\/+$/, '');
  const driveType = readDriveType(read);
  return {
    remote,
    login: readLogin(read, cloud.login),
    graphUrl,
    driveId: read.text('drive_id'),
    driveType,
    rootFolderId: read.text('root_folder_id'),
    showsPackages: read.bool('expose_onenote_files', false),
    listChunk: read.int('list_chunk', 1000, 1, 1_000_000),
    hashes: readHashes(read, driveType),
    encoding: parseEncoding(read.text('encoding') || DEFAULT_ENCODING),
    chunkSize: readChunkSize(read),
    copiesAcross: read.bool('server_side_across_configs', false),
    noVersions: read.bool('no_versions', false),
    hardDelete: read.bool('hard_delete', false),
    link: {
      scope: oneOf(read, 'link_scope', ['anonymous', 'organization']),
      type: oneOf(read, 'link_type', ['view', 'edit', 'embed']),
      password: read.text('link_password'),
    },
    isGlobal: cloud === CLOUDS['global'],
  };
}

function readLogin(read: OptionReader, host: string): LoginSettings {
  const tenant = read.text('tenant') || 'common';
  if (!/^[\w.-]+$/.test(tenant)) throw read.error('tenant', 'must be a name or an id');
  const base = `${host}/${tenant}/oauth2/v2.0`;
  const asked = (read.text('access_scopes') || DEFAULT_SCOPES).split(/[\s,]+/).filter(Boolean);
  const withoutSites = read.bool('disable_site_permission', false);
  return {
    clientId: read.text('client_id'),
    clientSecret: read.text('client_secret'),
    token: read.text('token'),
    authUrl: readUrl(read, 'auth_url', `${base}/authorize`),
    tokenUrl: readUrl(read, 'token_url', `${base}/token`),
    tenant,
    scopes: asked.filter((scope) => !(withoutSites && scope === 'Sites.Read.All')),
  };
}

function readUrl(read: OptionReader, name: string, ifUnset: string): URL {
  const text = read.text(name) || ifUnset;
  const url = URL.parse(text);
  if (url !== null && /^https?:$/.test(url.protocol)) return url;
  throw read.error(name, `"${text}" is not a URL of the form https://host/path`);
}

/** Whether Graph names a kind of drive so. */
export function isDriveType(value: unknown): value is DriveType {
  return value === 'personal' || value === 'business' || value === 'documentLibrary';
}

function readDriveType(read: OptionReader): DriveType | undefined {
  const text = read.text('drive_type');
  if (text === '') return undefined;
  if (isDriveType(text)) return text;
  throw read.error('drive_type', `must be personal, business or documentLibrary, not "${text}"`);
}

function readHashes(read: OptionReader, driveType: DriveType | undefined): readonly HashName[] {
  const name = oneOf(read, 'hash_type', ['auto', 'quickxor', 'sha1', 'sha256', 'crc32', 'none']);
  if (name === 'none') return [];
  if (name !== 'auto') return [name as HashName];
  // As rclone 1.60.1: SHA-1 only where the drive is a person's.
  return driveType === 'personal' ? ['quickxor', 'sha1'] : ['quickxor'];
}

function readChunkSize(read: OptionReader): number {
  const size = read.size('chunk_size', 10 * 1024 ** 2);
  if (size < CHUNK_UNIT || size % CHUNK_UNIT !== 0) {
    throw read.error('chunk_size', 'must be a multiple of 320Ki (327680 bytes)');
  }
  // Larger ones that rclone takes are made as large as the service wants them.
  return Math.min(size, CHUNK_LIMIT - CHUNK_UNIT);
}

/** One of these words; the first where the option is not set. */
function oneOf(read: OptionReader, name: string, words: readonly string[]): string {
  const text = read.text(name) || (words[0] ?? '');
  if (words.includes(text)) return text;
  throw read.error(name, `must be one of ${words.join(', ')}, not "${text}"`);
}
