import { amazonEndpoint, type Endpoint } from '../endpoint.ts';
import type { StoreError } from '../store-error.ts';

/** Where requests about a bucket go, and for which region they are signed. */
export interface Place {
  readonly endpoint: Endpoint;
  readonly region: string;
}

/** Remembers the regions of buckets that turned out to lie elsewhere. */
export class BucketRegions {
  readonly #usual: Place;
  readonly #moved = new Map<string, Place>();

  constructor(endpoint: Endpoint, region: string) {
    this.#usual = { endpoint, region };
  }

  of(bucket: string): Place {
    return this.#moved.get(bucket) ?? this.#usual;
  }

  /** Takes the region from a refusal that names another one; `true` where the request is now worth sending again. */
  learn(bucket: string, refusal: StoreError): boolean {
    const { region, status } = refusal;
    const here = this.of(bucket);
    const isRedirect = status === 301 || status === 307 || status === 400;
    if (!isRedirect || region === undefined || region === '' || region === here.region)
      return false;
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
