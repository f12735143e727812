import { isIP } from 'node:net';
import { SyncerError } from '../../core/errors.ts';
import { type Origin, originOf } from '../http/http-request.ts';
import type { OptionReader } from '../option-reader.ts';
import { encodeUriPath } from '../s3-protocol/uri-encoding.ts';
import { endpointUrl } from './options.ts';
import type { StoreError } from './store-error.ts';

/** A region that may become part of a host name. */
const REGION = /^[A-Za-z0-9-]+$/;

/** What is known before the options of the endpoint are read. */
interface AboutEndpoint {
  readonly provider: string;
  readonly region: string;
  readonly pathStyle: boolean;
}

/** The endpoint that the options describe. Throws `config`. */
export function resolveEndpoint(read: OptionReader, about: AboutEndpoint): Endpoint {
  const endpoint = endpointOf(read, about);
  if (endpoint.isAmazon && !REGION.test(about.region)) {
    throw read.error('region', `must be letters, digits and "-", not "${about.region}"`);
  }
  return endpoint;
}

function endpointOf(read: OptionReader, about: AboutEndpoint): Endpoint {
  const text = read.text('endpoint');
  const pathStyle = read.optionalBool('force_path_style') ?? about.pathStyle;
  if (text === '') {
    if (about.provider !== 'AWS' && about.provider !== '') {
      throw read.missing(
        'endpoint',
        `but provider ${about.provider} requires it: set it to the server's URL`,
      );
    }
    const amazon = amazonEndpoint(about.region, read.bool('use_dual_stack'));
    if (!read.bool('use_accelerate_endpoint')) return { ...amazon, pathStyle };
    const accelerated = `s3-accelerate.${amazon.dualStack ? 'dualstack.' : ''}amazonaws.com`;
    return { ...amazon, hostname: accelerated, pathStyle: false };
  }
  for (const option of ['use_dual_stack', 'use_accelerate_endpoint']) {
    if (read.bool(option)) throw read.error(option, 'works without endpoint only');
  }
  const url = endpointUrl(text);
  if (url === undefined) throw read.error('endpoint', `not a host or URL: "${text}"`);
  const { secure, hostname, port } = originOf(url);
  return {
    secure,
    hostname,
    port,
    basePath: url.pathname.replace(/\/+$/, ''),
    pathStyle: pathStyle || isIP(hostname) !== 0 || hostname === 'localhost',
    isAmazon: /^s3([.-][a-z0-9-]+)?\.amazonaws\.com(\.cn)?$/.test(hostname),
  };
}

/** Amazon's endpoint of a region. */
function amazonEndpoint(region: string, dualStack = false): Endpoint {
  const domain = region.startsWith('cn-') ? 'amazonaws.com.cn' : 'amazonaws.com';
  return {
    secure: true,
    hostname: `s3.${dualStack ? 'dualstack.' : ''}${region}.${domain}`,
    dualStack,
    port: 443,
    basePath: '',
    pathStyle: false,
    isAmazon: true,
  };
}

/** Where requests about a bucket are sent, and the region they are signed for. */
export interface BucketPlace {
  readonly endpoint: Endpoint;
  readonly region: string;
}

/** The settings that decide where a bucket is. */
interface PlaceOptions {
  readonly useArnRegion?: boolean;
  readonly directoryBucket?: boolean;
}

/** Remembers buckets that are elsewhere. */
export class BucketRegions {
  readonly #usual: BucketPlace;
  readonly #places = new Map<string, BucketPlace>();
  /** Buckets whose redirect was followed: only once, to prevent loops. */
  readonly #followed = new Set<string>();

  readonly #options: PlaceOptions;

  constructor(endpoint: Endpoint, region: string, options: PlaceOptions = {}) {
    this.#usual = { endpoint, region };
    this.#options = options;
  }

  /** Throws `config` for an access point of another region, unless that is allowed. */
  of(bucket: string): BucketPlace {
    const point = bucket.startsWith('arn:') ? accessPoint(bucket) : undefined;
    if (point !== undefined) {
      const { region } = this.#usual;
      if (point.region === region || this.#options.useArnRegion === true) {
        return { ...this.#usual, region: point.region };
      }
      const text = `the access point is in ${point.region}, the remote in ${region}; set region, or use_arn_region`;
      throw new SyncerError('config', text);
    }
    const known = this.#places.get(bucket);
    if (known !== undefined) return known;
    if (this.#options.directoryBucket !== true) return this.#usual;
    const { endpoint, region } = this.#usual;
    const zone = { region, endpoint: directoryEndpoint(endpoint, region, bucket) };
    this.#places.set(bucket, zone);
    return zone;
  }

  /** Learns the region in a refusal, else the endpoint of its redirect; `true` if the request is worth repeating. */
  learn(bucket: string, refusal: StoreError): boolean {
    return this.#learnRegion(bucket, refusal) || this.#follow(bucket, refusal);
  }

  #follow(bucket: string, { status, location }: StoreError): boolean {
    const isRedirect = [301, 302, 307, 308].includes(status) && location !== undefined;
    if (!isRedirect || bucket === '' || this.#followed.has(bucket)) return false;
    const { region, endpoint: from } = this.of(bucket);
    const endpoint = redirectedEndpoint(from, bucket, location);
    if (endpoint === undefined) return false;
    this.#followed.add(bucket);
    this.#places.set(bucket, { region, endpoint });
    return true;
  }

  #learnRegion(bucket: string, refusal: StoreError): boolean {
    const { region = '', status } = refusal;
    const here = this.of(bucket);
    const isRedirect = status === 301 || status === 307 || status === 400;
    // The region becomes part of a host name.
    if (!isRedirect || !REGION.test(region) || region === here.region) return false;
    const { endpoint } = this.#usual;
    this.#places.set(bucket, {
      region,
      endpoint: endpoint.isAmazon
        ? { ...amazonEndpoint(region, endpoint.dualStack), pathStyle: endpoint.pathStyle }
        : endpoint,
    });
    return true;
  }
}

/**
 * The endpoint to which a response about a bucket redirects; `undefined` if that is another host or port, lacks TLS
 * where there was TLS, does not name the bucket, or leads back. Amazon's hosts of S3 count as one.
 */
export function redirectedEndpoint(
  from: Endpoint,
  bucket: string,
  location: string,
): Endpoint | undefined {
  const url = URL.parse(location);
  if (url === null) return undefined;
  const { secure, hostname: host, port } = originOf(url);
  if (!secure && (from.secure || url.protocol !== 'http:')) return undefined;
  const inHost = host.startsWith(`${bucket}.`);
  const hostname = inHost ? host.slice(bucket.length + 1) : host;
  const [path = '', ...behind] = `${url.pathname}/`.split(`/${encodeUriPath(bucket)}/`);
  if (!inHost && behind.length === 0) return undefined;
  const basePath = inHost ? '' : path;
  const to = { ...from, secure, hostname, port, basePath, pathStyle: !inHost };
  const isSame = hostname === from.hostname && secure === from.secure && basePath === from.basePath;
  if (!mayLeadTo(from, to) || (isSame && inHost !== from.pathStyle)) return undefined;
  return to;
}

/** Whether a redirect may lead from one endpoint to another: the target receives the content of uploads. */
function mayLeadTo(from: Endpoint, to: Endpoint): boolean {
  const isUsual = ({ secure, port }: Endpoint) => port === (secure ? 443 : 80);
  const isSamePort = from.port === to.port || (isUsual(from) && isUsual(to));
  const domain = amazonDomain(from.hostname);
  const isAmazon = domain !== undefined && domain === amazonDomain(to.hostname);
  return isSamePort && (isAmazon || from.hostname === to.hostname);
}

/** The domain of a host of Amazon's S3; other services of Amazon have hosts of their customers. */
function amazonDomain(hostname: string): string | undefined {
  return /^s3(?:[.-][a-z0-9-]+)*\.(amazonaws\.com(?:\.cn)?)$/.exec(hostname)?.[1];
}

/** The address of one request. */
interface Address extends Origin {
  /** Percent-encoded, begins with a slash. */
  readonly path: string;
  /** The bucket that the host names; `''`: the path names it, or there is none. */
  readonly hostBucket: string;
}

const ACCESS_POINT = /^arn:aws[\w-]*:s3:([a-z0-9-]+):(\d+):accesspoint[:/]([a-z0-9-]+)$/;

/** The region of an access point whose ARN is written instead of a bucket, and the name of its host. */
function accessPoint(bucket: string): { region: string; label: string } | undefined {
  const [, region, account, name] = ACCESS_POINT.exec(bucket) ?? [];
  return region === undefined ? undefined : { region, label: `${name}-${account}` };
}

function accessPointHost(endpoint: Endpoint, region: string, label: string): string {
  if (!endpoint.isAmazon) return `${label}.${endpoint.hostname}`;
  const domain = region.startsWith('cn-') ? 'amazonaws.com.cn' : 'amazonaws.com';
  return `${label}.s3-accesspoint${endpoint.dualStack ? '.dualstack' : ''}.${region}.${domain}`;
}

/** The address of a bucket or access point, of a key in it, or of the service itself. */
export function addressOf(endpoint: Endpoint, bucket: string, key: string): Address {
  const point = bucket.startsWith('arn:') ? accessPoint(bucket) : undefined;
  if (point !== undefined) {
    const hostname = accessPointHost(endpoint, point.region, point.label);
    return addressOf({ ...endpoint, hostname, pathStyle: false }, '', key);
  }
  const { secure, port, basePath } = endpoint;
  const inHost = bucket !== '' && !endpoint.pathStyle && fitsHostName(bucket, secure);
  const hostname = inHost ? `${bucket}.${endpoint.hostname}` : endpoint.hostname;
  const bucketPath = inHost || bucket === '' ? '' : `/${encodeUriPath(bucket)}`;
  const keyPath = key === '' ? '' : `/${encodeUriPath(key)}`;
  const bracketed = isIP(hostname) === 6 ? `[${hostname}]` : hostname;
  const isUsualPort = port === (secure ? 443 : 80);
  return {
    secure,
    hostname,
    port,
    host: isUsualPort ? bracketed : `${bracketed}:${port}`,
    path: `${basePath}${bucketPath}${keyPath}` || '/',
    hostBucket: inHost ? bucket : '',
  };
}

/** Certificates for `*.host` cover one label, so a dot in the bucket's name breaks TLS. */
function fitsHostName(bucket: string, secure: boolean): boolean {
  const label = '[a-z0-9](?:[a-z0-9-]*[a-z0-9])?';
  const pattern = secure ? `^${label}$` : `^${label}(?:\\.${label})*$`;
  return bucket.length >= 3 && bucket.length <= 63 && new RegExp(pattern).test(bucket);
}

/** Where requests go. */
export interface Endpoint {
  readonly secure: boolean;
  readonly hostname: string;
  readonly port: number;
  /** Before the bucket, no slash at the end; mostly `''`. */
  readonly basePath: string;
  readonly pathStyle: boolean;
  /** The host is derived from the region: another region has another host. */
  readonly isAmazon: boolean;
  /** An endpoint of Amazon with IPv6. */
  readonly dualStack?: boolean;
}

/** The name of a directory bucket (S3 Express) ends with its zone: `photos--use1-az4--x-s3`. */
const NAME = /--([a-z0-9]+(?:-[a-z0-9]+)+)--x-s3$/;

/** The zone of a directory bucket; `undefined` for the name of another bucket. */
export function zoneOf(bucket: string): string | undefined {
  return NAME.exec(bucket)?.[1];
}

/**
 * Amazon's endpoint of a directory bucket, or for `''` that of the service, which lists them: "Regional and Zonal
 * endpoints for directory buckets" in the Amazon S3 user guide. Other servers have one endpoint for all.
 */
export function directoryEndpoint(endpoint: Endpoint, region: string, bucket: string): Endpoint {
  const zone = bucket === '' ? 'control' : zoneOf(bucket);
  if (!endpoint.isAmazon || zone === undefined) return endpoint;
  const hostname = `s3express-${zone}${endpoint.dualStack ? '.dualstack' : ''}.${region}.amazonaws.com`;
  return { ...endpoint, hostname, pathStyle: false };
}
