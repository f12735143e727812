/** The peculiarities of a provider's S3; `undefined` members are as with most providers. */
export interface ProviderQuirks {
  readonly pathStyle?: true;
  /** The listing version that works there; 2 by default. */
  readonly listVersion?: 1;
  /** Listings must not be requested with `encoding-type=url`. */
  readonly plainListings?: true;
  /** The ETag of a multipart upload is not the MD5 of the parts' MD5s. */
  readonly oddMultipartEtag?: true;
  /** Supports CRC-32 checksums in headers and trailers, on requests and responses. */
  readonly knowsChecksums?: true;
  /** No ETag is an MD5. */
  readonly oddEtag?: true;
  /** Uploads in parts do not work. */
  readonly noMultipartUploads?: true;
  /** Server-side copies in parts do not work: each is one request, whatever the size. */
  readonly noCopyInParts?: true;
  /** The error BucketAlreadyExists is only about buckets of others. */
  readonly knowsOwnBuckets?: true;
  /** Versions of an object are listed oldest first. */
  readonly versionsOldestFirst?: true;
  /** Objects cannot be locked by S3's headers. */
  readonly noObjectLock?: true;
  /** Has storage classes in rclone's table: only then are they shown and set. */
  readonly hasTiers?: true;
  /** Most parts in an upload. */
  readonly maxUploadParts?: number;
  /** Smallest useful part, in bytes. */
  readonly minChunkSize?: number;
}

/** A provider that the `provider` option names. */
export interface Provider {
  readonly name: string;
  readonly help: string;
  readonly quirks: ProviderQuirks;
}

const pathStyle = true;
const oddMultipartEtag = true;
const knowsChecksums = true;
const oddEtag = true;
const noMultipartUploads = true;
const noCopyInParts = true;
const noObjectLock = true;
const knowsOwnBuckets = true;
const versionsOldestFirst = true;
const plainListings = true;
const hasTiers = true;

/**
 * The providers of rclone 1.75 with their quirks, without those that listings and errors show: URL encoding, version 2,
 * and what an existing bucket is called. `provider-places.ts` has their endpoints and regions.
 */
export const PROVIDERS: readonly Provider[] = [
  { name: 'AWS', help: 'Amazon Web Services S3.', quirks: { knowsChecksums, hasTiers } },
  { name: 'Alibaba', help: 'Alibaba Cloud OSS.', quirks: { oddMultipartEtag, hasTiers } },
  { name: 'ArvanCloud', help: 'Arvan Cloud.', quirks: { pathStyle, hasTiers } },
  {
    name: 'BizflyCloud',
    help: 'Bizfly Cloud Simple Storage.',
    quirks: { pathStyle, oddMultipartEtag },
  },
  { name: 'Ceph', help: 'Ceph Object Gateway.', quirks: { pathStyle } },
  { name: 'ChinaMobile', help: 'China Mobile Ecloud EOS.', quirks: { pathStyle, hasTiers } },
  { name: 'Cloudflare', help: 'Cloudflare R2.', quirks: { pathStyle, oddMultipartEtag } },
  { name: 'Cubbit', help: 'Cubbit DS3.', quirks: { oddMultipartEtag } },
  { name: 'DigitalOcean', help: 'DigitalOcean Spaces.', quirks: {} },
  { name: 'Dreamhost', help: 'DreamHost DreamObjects.', quirks: {} },
  { name: 'Exaba', help: 'Exaba Object Storage.', quirks: { pathStyle } },
  {
    name: 'Fastly',
    help: 'Fastly Object Storage.',
    quirks: { pathStyle, oddMultipartEtag, oddEtag, noMultipartUploads },
  },
  { name: 'FileLu', help: 'FileLu S5.', quirks: { pathStyle, oddMultipartEtag } },
  { name: 'FlashBlade', help: 'Pure Storage FlashBlade.', quirks: { pathStyle } },
  {
    name: 'GCS',
    help: 'Google Cloud Storage, with HMAC keys.',
    quirks: { noCopyInParts, noObjectLock, knowsOwnBuckets },
  },
  {
    name: 'HCP',
    help: 'Hitachi Content Platform.',
    quirks: { pathStyle, oddMultipartEtag, versionsOldestFirst },
  },
  { name: 'Hetzner', help: 'Hetzner Object Storage.', quirks: {} },
  { name: 'HuaweiOBS', help: 'Huawei OBS.', quirks: { listVersion: 1, plainListings } },
  { name: 'IBMCOS', help: 'IBM Cloud Object Storage.', quirks: { pathStyle, oddMultipartEtag } },
  { name: 'IDrive', help: 'IDrive e2.', quirks: { pathStyle } },
  { name: 'ImpossibleCloud', help: 'Impossible Cloud.', quirks: {} },
  { name: 'Intercolo', help: 'Intercolo Object Storage.', quirks: {} },
  { name: 'IONOS', help: 'IONOS Cloud.', quirks: { pathStyle } },
  { name: 'Leviia', help: 'Leviia Object Storage.', quirks: {} },
  {
    name: 'Liara',
    help: 'Liara Object Storage.',
    quirks: { pathStyle, oddMultipartEtag, hasTiers },
  },
  { name: 'Linode', help: 'Linode Object Storage.', quirks: {} },
  { name: 'LyveCloud', help: 'Seagate Lyve Cloud.', quirks: { oddMultipartEtag } },
  {
    name: 'Magalu',
    help: 'Magalu Object Storage.',
    quirks: { pathStyle, oddMultipartEtag, hasTiers },
  },
  { name: 'Mega', help: 'MEGA S4.', quirks: { pathStyle, oddMultipartEtag, noCopyInParts } },
  { name: 'Minio', help: 'MinIO.', quirks: { pathStyle } },
  { name: 'Netease', help: 'Netease Object Storage.', quirks: { oddMultipartEtag } },
  { name: 'Outscale', help: 'Outscale Object Storage.', quirks: { pathStyle } },
  { name: 'OVHcloud', help: 'OVHcloud Object Storage.', quirks: { hasTiers } },
  { name: 'Petabox', help: 'Petabox Object Storage.', quirks: {} },
  { name: 'Qiniu', help: 'Qiniu Kodo.', quirks: { pathStyle, oddMultipartEtag, hasTiers } },
  { name: 'Rabata', help: 'Rabata Cloud Storage.', quirks: {} },
  { name: 'RackCorp', help: 'RackCorp Object Storage.', quirks: { oddMultipartEtag } },
  {
    name: 'Rclone',
    help: 'The S3 server of rclone.',
    quirks: { pathStyle, oddMultipartEtag, noCopyInParts },
  },
  {
    name: 'Scaleway',
    help: 'Scaleway Object Storage.',
    quirks: { maxUploadParts: 1000, hasTiers },
  },
  { name: 'Scality', help: 'Scality RING and ARTESCA.', quirks: { pathStyle } },
  { name: 'SeaweedFS', help: 'SeaweedFS.', quirks: { pathStyle, oddMultipartEtag } },
  { name: 'Selectel', help: 'Selectel Object Storage.', quirks: {} },
  { name: 'Servercore', help: 'Servercore Object Storage.', quirks: {} },
  { name: 'SpectraLogic', help: 'Spectra Logic Black Pearl.', quirks: { pathStyle } },
  {
    name: 'StackPath',
    help: 'StackPath Object Storage, which was shut down.',
    quirks: { pathStyle },
  },
  {
    name: 'Storj',
    help: "Storj's S3 gateway.",
    quirks: { noCopyInParts, minChunkSize: 64 * 1024 ** 2 },
  },
  { name: 'Synology', help: 'Synology C2.', quirks: { oddMultipartEtag } },
  { name: 'TencentCOS', help: 'Tencent Cloud COS.', quirks: { oddMultipartEtag, hasTiers } },
  { name: 'US3', help: 'UCloud US3.', quirks: { oddMultipartEtag } },
  { name: 'Wasabi', help: 'Wasabi.', quirks: {} },
  { name: 'Zadara', help: 'Zadara Object Storage.', quirks: { pathStyle } },
  { name: 'Zata', help: "Zata's S3 gateway.", quirks: { oddMultipartEtag } },
  { name: 'ZeroServices', help: 'Zero Services ZERO-Z3.', quirks: { pathStyle } },
  { name: 'Other', help: 'Any other S3 server.', quirks: { pathStyle, oddMultipartEtag } },
];

/** The quirks of a provider; an unknown one is treated as `Other`, none as `AWS`. */
export function quirksOf(provider: string): ProviderQuirks {
  const wanted = provider === '' ? 'AWS' : provider;
  const known = PROVIDERS.find(({ name }) => name === wanted);
  return known?.quirks ?? { pathStyle, oddMultipartEtag };
}
