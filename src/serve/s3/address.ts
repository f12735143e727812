import { S3Error } from './wire/s3-error.ts';
import type { Query } from './wire/uri-encoding.ts';
import { parseQuery, queryFromPairs, uriDecode } from './wire/uri-encoding.ts';

/** The bucket, key and query of a request. */
export interface RequestAddress {
  /** As in the request line, without parameters. */
  readonly rawPath: string;
  readonly pairs: readonly (readonly [name: string, value: string])[];
  readonly query: Query;
  readonly bucketName: string;
  /** The bucket, if the host names it. */
  readonly virtualBucket?: string;
  readonly key: string;
}

/**
 * Parses a URL. The bucket is the first segment of the path, or before `.localhost` in the host
 * (`photos.localhost:8080`). Throws `InvalidURI`, also for a key without a bucket: that is no request for the list of
 * buckets.
 */
export function readAddress(url: string, host: string | undefined): RequestAddress {
  const question = url.indexOf('?');
  const rawPath = pathOnly(question < 0 ? url : url.slice(0, question));
  const pairs = parseQuery(question < 0 ? '' : url.slice(question + 1));
  const path = uriDecode(rawPath).slice(1);
  const virtual = /^(.+)\.localhost(?::\d+)?$/i.exec(host ?? '')?.[1];
  const query = queryFromPairs(pairs);
  if (virtual !== undefined) {
    const bucketName = virtual;
    return { rawPath, pairs, query, bucketName, virtualBucket: virtual, key: path };
  }
  const slash = path.indexOf('/');
  if (slash === 0 && path !== '/') throw new S3Error('InvalidURI');
  return {
    rawPath,
    pairs,
    query,
    bucketName: slash < 0 ? path : path.slice(0, slash),
    key: slash < 0 ? '' : path.slice(slash + 1),
  };
}

/** A client behind a proxy sends `http://host/path`. */
function pathOnly(target: string): string {
  if (target.startsWith('/')) return target;
  const path = /^[a-z]+:\/\/[^/]*(\/.*)?$/i.exec(target)?.[1];
  return path ?? '/';
}
