import type { DriveSetup } from './drive.ts';
import type { GraphFaultRule } from './graph-fault.ts';
import type { OddIds } from './odd-ids.ts';

/** How the service behaves; tests may change it at any time. */
export interface GraphSettings {
  /** What comes before `/me` and `/drives` in an address. */
  basePath: string;
  /** Addresses like `root:/{path}:`; the cloud of China has none, only `children('{name}')`. */
  pathAddresses: boolean;
  /** Items in a page where the client asks for no number, and at most. */
  pageSize: number;
  maxPageSize: number;
  /** Before every page of items comes an empty one with a link to it. */
  emptyPages: boolean;
  /** Every delta names each item twice, the first time with an old name. */
  deltaDuplicates: boolean;
  /** Longest body of `PUT content`. */
  maxContentBytes: number;
  sessionSeconds: number;
  /** Sessions do not take `fileSize`, as some business drives do not. */
  refusesFileSize: boolean;
  /** How long a download address is good, and the answer from then on. */
  downloadSeconds: number;
  /** How many requests a download address is good for. */
  downloadUses: number;
  expiredDownloadStatus: 401 | 404;
  /** Downloads answer 200 with the whole file whatever range is asked for. */
  ignoreRanges: boolean;
  /** Downloads have no ETag. */
  untaggedDownloads: boolean;
  /** Where a request with `Authorization` is refused with 401. */
  refuseTokenAt: readonly ('upload' | 'download')[];
  /** How often a copy is `inProgress` before it is done. */
  copyPolls: number;
  /** `replace` works for copies; otherwise it fails like `fail`, as on some drives. */
  copyReplaces: boolean;
  /** The monitor answers a finished copy with a redirect to the item. */
  copyRedirects: boolean;
  /** Whether document libraries write into Office files: before they answer the upload, after it, or not at all. */
  rewritesOffice: 'at-once' | 'later' | 'never';
  /** Other files into which document libraries write, by the ends of their names: `html`. */
  rewritesToo: readonly string[];
  /** Whether an overwritten content becomes an older version, as libraries do unless somebody turned it off. */
  keepsVersions: boolean;
  /** How personal drives write ids; as they were made where absent. */
  oddIds?: OddIds;
  /** Requests may have ids of personal drives without their leading zeros. */
  takesShortIds: boolean;
  /** Hashes that files of personal drives have beside quickXorHash. */
  personalHashes: readonly ('sha1' | 'sha256')[];
  /** Files have no hash at all. */
  withoutHashes: boolean;
  accessTokenSeconds: number;
  refreshTokenSeconds: number;
  /** A refresh answers with a new refresh token, or with none. */
  rotatesRefreshTokens: boolean;
  /** A refresh token works once; the real service lets it live on. */
  revokesUsedRefreshTokens: boolean;
  /** What the person does when asked to sign in. */
  consent: 'given' | 'denied' | 'needs-admin';
  /** The redirect after signing in carries another `state`. */
  spoilsState: boolean;
  /** Client ids and their secrets; an id that is not in here needs no secret. */
  clientSecrets: Readonly<Record<string, string>>;
  /** Answers to the polls of a device-code flow, one after the other; then it is approved. */
  devicePolls: readonly string[];
  /** Seconds between polls that the client is told, and life of a device code. */
  deviceInterval: number;
  deviceSeconds: number;
}

/** What a test's server is started with. */
export interface TestGraphOptions extends Partial<GraphSettings> {
  /** One personal drive where absent. */
  readonly drives?: readonly DriveSetup[];
  /** What goes wrong from the first request on. */
  readonly faults?: GraphFaultRule;
}

/** The service's own behaviour, where nothing else is wanted. */
export const DEFAULT_SETTINGS: Readonly<GraphSettings> = {
  basePath: '/v1.0',
  pathAddresses: true,
  pageSize: 200,
  maxPageSize: 1000,
  emptyPages: false,
  deltaDuplicates: false,
  maxContentBytes: 4 * 2 ** 20,
  sessionSeconds: 15 * 60,
  refusesFileSize: false,
  downloadSeconds: 3600,
  downloadUses: Number.POSITIVE_INFINITY,
  expiredDownloadStatus: 401,
  ignoreRanges: false,
  untaggedDownloads: false,
  refuseTokenAt: [],
  copyPolls: 1,
  copyReplaces: true,
  copyRedirects: false,
  rewritesOffice: 'at-once',
  rewritesToo: [],
  keepsVersions: true,
  takesShortIds: false,
  personalHashes: ['sha1', 'sha256'],
  withoutHashes: false,
  accessTokenSeconds: 3600,
  refreshTokenSeconds: 90 * 86_400,
  rotatesRefreshTokens: true,
  revokesUsedRefreshTokens: false,
  consent: 'given',
  spoilsState: false,
  clientSecrets: {},
  devicePolls: [],
  deviceInterval: 5,
  deviceSeconds: 900,
};
