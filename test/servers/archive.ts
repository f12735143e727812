import type { Fault, SeenRequest } from './fault.ts';

const ARCHIVED: Fault = { status: 403, code: 'InvalidObjectState' };

/**
 * Objects in an archive, as `bucket/key`: they are listed and looked up, and cannot be read or copied. What is stored
 * anew under the name of one is in no archive.
 */
export class Archive {
  readonly #objects = new Set<string>();

  add(...objects: readonly string[]): void {
    for (const object of objects) this.#objects.add(object);
  }

  /** Takes all objects back, or one. */
  restore(object?: string): void {
    if (object === undefined) this.#objects.clear();
    else this.#objects.delete(object);
  }

  has(object: string): boolean {
    return this.#objects.has(object);
  }

  /** What goes wrong with a request. */
  fault({ operation, bucket, key, headers }: SeenRequest): Fault | undefined {
    const object = `${bucket}/${key}`;
    if (operation === 'GetObject') return this.has(object) ? ARCHIVED : undefined;
    const [source = ''] = String(headers['x-amz-copy-source'] ?? '').split('?versionId=');
    if (source !== '' && this.has(decodeURIComponent(source).replace(/^\//, ''))) return ARCHIVED;
    const stores = ['PutObject', 'CopyObject', 'CompleteMultipartUpload', 'DeleteObject'];
    if (stores.includes(operation)) this.restore(object);
    return undefined;
  }
}
