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
  /**
   * An upload may copy parts from an object, each response has a checksum of the copied bytes, and nothing is charged
   * for it: parts of `any` size, or of `equal` sizes.
   */
  readonly copiesParts?: 'any' | 'equal';
  /** Copies of parts heed `x-amz-copy-source-if-match`. */
  readonly heedsCopyConditions?: true;
  /** Most parts in an upload. */
  readonly maxUploadParts?: number;
  /** Smallest useful part, in bytes. */
  readonly minChunkSize?: number;
}

const pathStyle = true;
const oddMultipartEtag = true;
const noCopyInParts = true;
const hasTiers = true;
const heedsCopyConditions = true;

/**
 * The providers of rclone 1.75 with their quirks, without those that listings and errors show: URL encoding, version 2,
 * and what an existing bucket is called. `provider-places.ts` has their endpoints and regions.
 */
const ROWS: readonly (readonly [name: string, help: string, quirks?: ProviderQuirks])[] = [
  [
    'AWS',
    'Amazon Web Services S3.',
    { knowsChecksums: true, hasTiers, copiesParts: 'any', heedsCopyConditions },
  ],
  ['Alibaba', 'Alibaba Cloud OSS.', { oddMultipartEtag, hasTiers }],
  ['ArvanCloud', 'Arvan Cloud.', { pathStyle, hasTiers }],
  ['BizflyCloud', 'Bizfly Cloud Simple Storage.', { pathStyle, oddMultipartEtag }],
  ['Ceph', 'Ceph Object Gateway.', { pathStyle, copiesParts: 'any' }],
  ['ChinaMobile', 'China Mobile Ecloud EOS.', { pathStyle, hasTiers }],
  ['Cloudflare', 'Cloudflare R2.', { pathStyle, oddMultipartEtag, copiesParts: 'equal' }],
  ['Cubbit', 'Cubbit DS3.', { oddMultipartEtag }],
  ['DigitalOcean', 'DigitalOcean Spaces.'],
  ['Dreamhost', 'DreamHost DreamObjects.'],
  ['Exaba', 'Exaba Object Storage.', { pathStyle }],
  [
    'Fastly',
    'Fastly Object Storage.',
    { pathStyle, oddMultipartEtag, oddEtag: true, noMultipartUploads: true },
  ],
  ['FileLu', 'FileLu S5.', { pathStyle, oddMultipartEtag }],
  ['FlashBlade', 'Pure Storage FlashBlade.', { pathStyle }],
  [
    'GCS',
    'Google Cloud Storage, with HMAC keys.',
    { noCopyInParts, noObjectLock: true, knowsOwnBuckets: true },
  ],
  ['HCP', 'Hitachi Content Platform.', { pathStyle, oddMultipartEtag, versionsOldestFirst: true }],
  ['Hetzner', 'Hetzner Object Storage.'],
  ['HuaweiOBS', 'Huawei OBS.', { listVersion: 1, plainListings: true }],
  ['IBMCOS', 'IBM Cloud Object Storage.', { pathStyle, oddMultipartEtag }],
  ['IDrive', 'IDrive e2.', { pathStyle }],
  ['ImpossibleCloud', 'Impossible Cloud.'],
  ['Intercolo', 'Intercolo Object Storage.'],
  ['IONOS', 'IONOS Cloud.', { pathStyle }],
  ['Leviia', 'Leviia Object Storage.'],
  ['Liara', 'Liara Object Storage.', { pathStyle, oddMultipartEtag, hasTiers }],
  ['Linode', 'Linode Object Storage.'],
  ['LyveCloud', 'Seagate Lyve Cloud.', { oddMultipartEtag }],
  ['Magalu', 'Magalu Object Storage.', { pathStyle, oddMultipartEtag, hasTiers }],
  ['Mega', 'MEGA S4.', { pathStyle, oddMultipartEtag, noCopyInParts }],
  ['Minio', 'MinIO.', { pathStyle, copiesParts: 'any', heedsCopyConditions }],
  ['Netease', 'Netease Object Storage.', { oddMultipartEtag }],
  ['Outscale', 'Outscale Object Storage.', { pathStyle }],
  ['OVHcloud', 'OVHcloud Object Storage.', { hasTiers }],
  ['Petabox', 'Petabox Object Storage.'],
  ['Qiniu', 'Qiniu Kodo.', { pathStyle, oddMultipartEtag, hasTiers }],
  ['Rabata', 'Rabata Cloud Storage.'],
  ['RackCorp', 'RackCorp Object Storage.', { oddMultipartEtag }],
  ['Rclone', 'The S3 server of rclone.', { pathStyle, oddMultipartEtag, noCopyInParts }],
  ['Scaleway', 'Scaleway Object Storage.', { maxUploadParts: 1000, hasTiers }],
  ['Scality', 'Scality RING and ARTESCA.', { pathStyle }],
  [
    'SeaweedFS',
    'SeaweedFS.',
    { pathStyle, oddMultipartEtag, copiesParts: 'any', heedsCopyConditions },
  ],
  ['Selectel', 'Selectel Object Storage.'],
  ['Servercore', 'Servercore Object Storage.'],
  ['SpectraLogic', 'Spectra Logic Black Pearl.', { pathStyle }],
  ['StackPath', 'StackPath Object Storage, which was shut down.', { pathStyle }],
  ['Storj', "Storj's S3 gateway.", { noCopyInParts, minChunkSize: 64 * 1024 ** 2 }],
  ['Synology', 'Synology C2.', { oddMultipartEtag }],
  ['TencentCOS', 'Tencent Cloud COS.', { oddMultipartEtag, hasTiers }],
  ['US3', 'UCloud US3.', { oddMultipartEtag }],
  ['Wasabi', 'Wasabi.'],
  ['Zadara', 'Zadara Object Storage.', { pathStyle }],
  ['Zata', "Zata's S3 gateway.", { oddMultipartEtag }],
  ['ZeroServices', 'Zero Services ZERO-Z3.', { pathStyle }],
  ['Other', 'Any other S3 server.', { pathStyle, oddMultipartEtag }],
];

/** The providers in the order of rclone. */
export const PROVIDERS = ROWS.map(([name, help, quirks = {}]) => ({ name, help, quirks }));

/** The quirks of a provider; an unknown one is treated as `Other`, none as `AWS`. */
export function quirksOf(provider: string): ProviderQuirks {
  const known = PROVIDERS.find(({ name }) => name === (provider || 'AWS'));
  return known?.quirks ?? { pathStyle, oddMultipartEtag };
}
