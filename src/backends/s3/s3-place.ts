import { hash } from 'node:crypto';
import { lookup } from 'node:dns/promises';
import { networkInterfaces } from 'node:os';
import type { PlaceIdentity } from '../../core/finding.ts';
import { ancestorsOf, type Place } from '../../core/place.ts';
import { joinPath } from '../../core/remote-path.ts';
import { encodingId } from '../../names/name-encoding.ts';
import type { Endpoint } from './endpoint.ts';
import type { S3Store } from './store.ts';

const LOOPBACK = ['localhost', '127.0.0.1', '::1'];

/**
 * Where a remote's objects are: endpoint, bucket and key. Another account or endpoint counts as another place: some
 * servers have buckets for each account, and names do not show which servers are one.
 */
export function s3Place(store: S3Store): Place {
  const { endpoint } = store.settings;
  const host = endpoint.hostname.toLowerCase().replace(/\.$/, '');
  const id = `s3 ${storeName(endpoint, host)} ${store.client.credentials.account}`;
  return {
    kind: 's3',
    store: id,
    lineage: async (path) => {
      const { bucket, key } = store.locate(path);
      return { ancestors: ancestorsOf(`${id}:`, joinPath(bucket, key)) };
    },
    views: async () => {
      // A server on this machine may serve the files of its disks.
      const isNamedSo = LOOPBACK.includes(host) || host.endsWith('.localhost');
      return { of: isNamedSo || (await leadsHere(host)) ? ['s3', 'disk'] : ['s3'], lateMs: 0 };
    },
  };
}

/** What it is for other machines; `undefined` for a view of old versions. */
export function s3Identity(store: S3Store): PlaceIdentity | undefined {
  if (store.showsVersions) return undefined;
  const { endpoint, region, encoding, encryption, directoryMarkers, decompress } = store.settings;
  const { storageClass, acl } = store.settings;
  const { bucket, key } = store.locate('');
  const { algorithm, kmsKeyId, customer = {} } = encryption;
  const ofKey = hash('sha256', JSON.stringify(customer));
  const { secure, hostname, port, basePath } = endpoint;
  return {
    type: 's3',
    region,
    bucket,
    path: key,
    endpoint: `${secure ? 'https' : 'http'}://${hostname}:${port}${basePath}`,
    names: JSON.stringify([...encodingId(encoding), directoryMarkers, decompress]),
    encryption: JSON.stringify([algorithm, kmsKeyId, ofKey]),
    writing: JSON.stringify([storageClass, acl]),
  };
}

/** All of Amazon's endpoints are one service: each leads to every bucket, in whatever region. */
function storeName({ secure, port, basePath }: Endpoint, host: string): string {
  const amazon = /(?:^|\.)amazonaws\.com(?:\.cn)?$/.exec(host);
  // A private link has the customer's own name, but not its own buckets.
  if (amazon !== null) return amazon[0];
  const isUsualPort = port === (secure ? 443 : 80);
  return `${LOOPBACK.includes(host) ? 'localhost' : host}${isUsualPort ? '' : `:${port}`}${basePath}`;
}

/** Whether a host has an address of this machine. */
async function leadsHere(host: string): Promise<boolean> {
  const own = new Set(
    Object.values(networkInterfaces()).flatMap((all) => all?.map(({ address }) => address) ?? []),
  );
  // A name that cannot be resolved here is resolved by a proxy.
  const found = await lookup(host, { all: true }).catch(() => []);
  return found.some(
    ({ address }) => own.has(address) || /^(?:127\.|0\.0\.0\.0$|::1?$)/.test(address),
  );
}

/** A root for messages, as rclone names it: `S3 bucket photos path 2024`. */
export function storeTitle(root: string): string {
  if (root === '') return 'S3 root';
  const slash = root.indexOf('/');
  return slash < 0
    ? `S3 bucket ${root}`
    : `S3 bucket ${root.slice(0, slash)} path ${root.slice(slash + 1)}`;
}
