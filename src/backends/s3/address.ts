import { isIP } from 'node:net';
import { encodeUriPath } from '../s3-protocol/uri-encoding.ts';

/** The address of one request. */
interface Address {
  readonly secure: boolean;
  readonly hostname: string;
  readonly port: number;
  /** As in the `host` header: the port only if it is not the default of the scheme. */
  readonly host: string;
  /** Percent-encoded, begins with a slash. */
  readonly path: string;
  /** The bucket that the host names; `''`: the path names it, or there is none. */
  readonly hostBucket: string;
}

const ACCESS_POINT = /^arn:aws[\w-]*:s3:([a-z0-9-]+):(\d+):accesspoint[:/]([a-z0-9-]+)$/;

/** The region of an access point whose ARN is written instead of a bucket, and the name of its host. */
export function accessPoint(bucket: string): { region: string; label: string } | undefined {
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
