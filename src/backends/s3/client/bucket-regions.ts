import { amazonEndpoint, type Endpoint, redirectedEndpoint } from '../endpoint.ts';
import type { StoreError } from '../store-error.ts';

/** Where requests about a bucket go, and for which region they are signed. */
export interface BucketPlace {
  readonly endpoint: Endpoint;
  readonly region: string;
}

/** Remembers where buckets are that turned out to lie elsewhere. */
export class BucketRegions {
  readonly #usual: BucketPlace;
  readonly #moved = new Map<string, BucketPlace>();
  /** Buckets whose redirect was followed: that is done once, so that none leads in circles. */
  readonly #followed = new Set<string>();

  constructor(endpoint: Endpoint, region: string) {
    this.#usual = { endpoint, region };
  }

  of(bucket: string): BucketPlace {
    return this.#moved.get(bucket) ?? this.#usual;
  }

  /**
   * Takes the region that a refusal names, else the endpoint to which it redirects; `true` if the request is worth
   * repeating.
   */
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
    this.#moved.set(bucket, { region, endpoint });
    return true;
  }

  #learnRegion(bucket: string, refusal: StoreError): boolean {
    const { region = '', status } = refusal;
    const here = this.of(bucket);
    const isRedirect = status === 301 || status === 307 || status === 400;
    // The region becomes part of a host name.
    if (!isRedirect || !/^[\w-]+$/.test(region) || region === here.region) return false;
    const { endpoint } = this.#usual;
    this.#moved.set(bucket, {
      region,
      endpoint: endpoint.isAmazon
        ? { ...amazonEndpoint(region), pathStyle: endpoint.pathStyle }
        : endpoint,
    });
    return true;
  }
}
