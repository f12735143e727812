import type { Endpoint } from './address.ts';

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
