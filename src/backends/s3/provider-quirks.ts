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
  /** Objects cannot be locked by S3's headers. */
  readonly noObjectLock?: true;
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

/**
 * The providers with the quirks of rclone 1.60.1 (`setQuirks`), without those that listings show: URL encoding and
 * version 2.
 */
export const PROVIDERS: readonly Provider[] = [
  { name: 'AWS', help: 'Amazon Web Services S3.', quirks: { knowsChecksums: true } },
  { name: 'Alibaba', help: 'Alibaba Cloud OSS.', quirks: { oddMultipartEtag } },
  { name: 'Ceph', help: 'Ceph Object Gateway.', quirks: { pathStyle } },
  {
    name: 'ChinaMobile',
    help: 'China Mobile Ecloud EOS.',
    quirks: { pathStyle, oddMultipartEtag },
  },
  { name: 'Cloudflare', help: 'Cloudflare R2.', quirks: { pathStyle, oddMultipartEtag } },
  { name: 'ArvanCloud', help: 'Arvan Cloud.', quirks: { pathStyle, oddMultipartEtag } },
  { name: 'DigitalOcean', help: 'DigitalOcean Spaces.', quirks: {} },
  { name: 'Dreamhost', help: 'DreamHost DreamObjects.', quirks: { oddMultipartEtag } },
  { name: 'HuaweiOBS', help: 'Huawei OBS.', quirks: { listVersion: 1, plainListings: true } },
  { name: 'IBMCOS', help: 'IBM Cloud Object Storage.', quirks: { pathStyle, oddMultipartEtag } },
  { name: 'IDrive', help: 'IDrive e2.', quirks: { pathStyle } },
  { name: 'IONOS', help: 'IONOS Cloud.', quirks: { pathStyle } },
  { name: 'LyveCloud', help: 'Seagate Lyve Cloud.', quirks: { oddMultipartEtag } },
  { name: 'Minio', help: 'MinIO.', quirks: { pathStyle } },
  { name: 'Netease', help: 'Netease Object Storage.', quirks: { oddMultipartEtag } },
  { name: 'RackCorp', help: 'RackCorp Object Storage.', quirks: { oddMultipartEtag } },
  { name: 'Scaleway', help: 'Scaleway Object Storage.', quirks: { maxUploadParts: 1000 } },
  { name: 'SeaweedFS', help: 'SeaweedFS.', quirks: { pathStyle, oddMultipartEtag } },
  { name: 'StackPath', help: 'StackPath Object Storage.', quirks: { pathStyle } },
  { name: 'Storj', help: "Storj's S3 gateway.", quirks: { minChunkSize: 64 * 1024 ** 2 } },
  { name: 'TencentCOS', help: 'Tencent Cloud COS.', quirks: { oddMultipartEtag } },
  { name: 'Wasabi', help: 'Wasabi.', quirks: {} },
  { name: 'Qiniu', help: 'Qiniu Kodo.', quirks: { oddMultipartEtag } },
  { name: 'Other', help: 'Any other S3 server.', quirks: { pathStyle, oddMultipartEtag } },
];

/** The quirks of a provider; an unknown one is treated as `Other`, none as `AWS`. */
export function quirksOf(provider: string): ProviderQuirks {
  const wanted = provider === '' ? 'AWS' : provider;
  const known = PROVIDERS.find(({ name }) => name === wanted);
  return known?.quirks ?? { pathStyle, oddMultipartEtag };
}
