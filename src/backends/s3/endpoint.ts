import { isIP } from 'node:net';
import { SyncerError } from '../../core/errors.ts';
import { type Origin, originOf } from '../http/http-request.ts';
import type { OptionReader } from '../option-reader.ts';
import { encodeUriPath } from '../s3-protocol/uri-encoding.ts';
import { endpointUrl } from './options.ts';
import type { StoreError } from './store-error.ts';

/** A region that may become part of a host name. */
const REGION = /^[A-Za-z0-9-]+$/;

/** The endpoint that the options describe, with what is known of them before. Throws `config`. */
export function resolveEndpoint(
  read: OptionReader,
  about: { readonly provider: string; readonly region: string; readonly pathStyle: boolean },
): Endpoint {
  const { provider, region } = about;
  const text = read.text('endpoint');
  const pathStyle = read.optionalBool('force_path_style') ?? about.pathStyle;
  let endpoint: Endpoint;
  if (text === '') {
    if (provider !== 'AWS' && provider !== '') {
      const why = `but provider ${provider} requires it: set it to the server's URL`;
      throw read.missing('endpoint', why);
    }
    const amazon = amazonEndpoint(region, read.bool('use_dual_stack'));
    const hostname = `s3-accelerate.${amazon.dualStack ? 'dualstack.' : ''}amazonaws.com`;
    const isAccelerated = read.bool('use_accelerate_endpoint');
    endpoint = isAccelerated ? { ...amazon, hostname } : { ...amazon, pathStyle };
  } else {
    for (const option of ['use_dual_stack', 'use_accelerate_endpoint']) {
      if (read.bool(option)) throw read.error(option, 'works without endpoint only');
    }
    const url = endpointUrl(text);
    if (url === undefined) throw read.error('endpoint', `not a host or URL: "${text}"`);
    const { secure, hostname, port } = originOf(url);
    endpoint = {
      secure,
      hostname,
      port,
      basePath: url.pathname.replace(/\/+$/, ''),
      pathStyle: pathStyle || isIP(hostname) !== 0 || hostname === 'localhost',
      isAmazon: /^s3([.-][a-z0-9-]+)?\.amazonaws\.com(\.cn)?$/.test(hostname),
    };
  }
  if (endpoint.isAmazon && !REGION.test(region)) {
    throw read.error('region', `must be letters, digits and "-", not "${region}"`);
  }
  return endpoint;
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
interface BucketPlace {
  readonly endpoint: Endpoint;
  readonly region: string;
}

type RegionOptions = Partial<Readonly<Record<'useArnRegion' | 'directoryBucket', boolean>>>;

/** Remembers buckets that are elsewhere. */
export class BucketRegions {
  readonly #usual: BucketPlace;
  readonly #places = new Map<string, BucketPlace>();
  /** Buckets whose redirect was followed: only once, to prevent loops. */
  readonly #followed = new Set<string>();
  readonly #options: RegionOptions;

  constructor(endpoint: Endpoint, region: string, options: RegionOptions = {}) {
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
    const { region = '', status, location } = refusal;
    const here = this.of(bucket);
    // The region becomes part of a host name.
    if ([301, 307, 400].includes(status) && REGION.test(region) && region !== here.region) {
      const { endpoint } = this.#usual;
      const { isAmazon, dualStack, pathStyle } = endpoint;
      const moved = isAmazon ? { ...amazonEndpoint(region, dualStack), pathStyle } : endpoint;
      this.#places.set(bucket, { region, endpoint: moved });
      return true;
    }
    const isRedirect = [301, 302, 307, 308].includes(status) && location !== undefined;
    if (!isRedirect || bucket === '' || this.#followed.has(bucket)) return false;
    const endpoint = redirectedEndpoint(here.endpoint, bucket, location);
    if (endpoint === undefined) return false;
    this.#followed.add(bucket);
    this.#places.set(bucket, { region: here.region, endpoint });
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
  // Other services of Amazon have hosts of their customers.
  const domainOf = ({ hostname }: Endpoint) =>
    /^s3(?:[.-][a-z0-9-]+)*\.(amazonaws\.com(?:\.cn)?)$/.exec(hostname)?.[1];
  const domain = domainOf(from);
  const isAmazon = domain !== undefined && domain === domainOf(to);
  return isSamePort && (isAmazon || from.hostname === to.hostname);
}

export interface Address extends Origin {
  /** Percent-encoded, begins with a slash. */
  readonly path: string;
  /** The bucket that the host names; `''`: the path names it, or there is none. */
  readonly hostBucket: string;
}

/** The region of an access point whose ARN is written instead of a bucket, and the name of its host. */
function accessPoint(bucket: string): { region: string; label: string } | undefined {
  const [, region, account, name] =
    /^arn:aws[\w-]*:s3:([a-z0-9-]+):(\d+):accesspoint[:/]([a-z0-9-]+)$/.exec(bucket) ?? [];
  return region === undefined ? undefined : { region, label: `${name}-${account}` };
}

/** Certificates for `*.host` cover one label, so a dot in the bucket's name breaks TLS. */
const LABEL = /^[a-z0-9](?:[a-z0-9-]*[a-z0-9])?$/;
const LABELS = /^[a-z0-9](?:[a-z0-9-]*[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]*[a-z0-9])?)*$/;

/** The address of a bucket or access point, of a key in it, or of the service itself. */
export function addressOf(endpoint: Endpoint, bucket: string, key: string): Address {
  const point = bucket.startsWith('arn:') ? accessPoint(bucket) : undefined;
  if (point !== undefined) {
    const { region, label } = point;
    const domain = region.startsWith('cn-') ? 'amazonaws.com.cn' : 'amazonaws.com';
    const service = `s3-accesspoint${endpoint.dualStack ? '.dualstack' : ''}`;
    const hostname = endpoint.isAmazon
      ? `${label}.${service}.${region}.${domain}`
      : `${label}.${endpoint.hostname}`;
    return addressOf({ ...endpoint, hostname, pathStyle: false }, '', key);
  }
  const { secure, port, basePath } = endpoint;
  const fits = bucket.length >= 3 && bucket.length <= 63 && (secure ? LABEL : LABELS).test(bucket);
  const inHost = fits && !endpoint.pathStyle;
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

/** The zone of a directory bucket, with which its name ends: `photos--use1-az4--x-s3`; `undefined` for other buckets. */
export function zoneOf(bucket: string): string | undefined {
  return /--([a-z0-9]+(?:-[a-z0-9]+)+)--x-s3$/.exec(bucket)?.[1];
}

/** Amazon's endpoint of a directory bucket, or of the service: "Regional and Zonal endpoints" in the user guide. */
export function directoryEndpoint(endpoint: Endpoint, region: string, bucket: string): Endpoint {
  const zone = bucket === '' ? 'control' : zoneOf(bucket);
  if (!endpoint.isAmazon || zone === undefined) return endpoint;
  const hostname = `s3express-${zone}${endpoint.dualStack ? '.dualstack' : ''}.${region}.amazonaws.com`;
  return { ...endpoint, hostname, pathStyle: false };
}
