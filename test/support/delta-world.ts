import { createCipheriv, createHash } from 'node:crypto';
import { HeadObjectCommand, ListMultipartUploadsCommand } from '@aws-sdk/client-s3';
import type { ObjectPieces, PartCopies } from '../../src/core/content-pieces.ts';
import type { SyncerEvent } from '../../src/core/events.ts';
import type { FileEntry, WriteSource } from '../../src/core/remote.ts';
import { cutContent } from '../../src/hashes/content-cuts.ts';
import { messageOf } from '../../src/shell/log/words.ts';
import { sdkClient } from '../servers/sdk-client.ts';
import type { TestS3 } from '../servers/test-s3.ts';
import { OP, type OpenS3Options, openS3, sourceOf } from './open-s3.ts';

export const MIB = 1024 ** 2;

/** Bytes that look random and are the same in every run. */
export function bytesOf(seed: string, length: number): Buffer {
  const key = createHash('md5').update(seed).digest();
  return createCipheriv('aes-128-ctr', key, Buffer.alloc(16)).update(Buffer.alloc(length));
}

/** In hexadecimal: large contents are compared by it. */
export const md5Of = (bytes: Buffer): string => createHash('md5').update(bytes).digest('hex');

/** A content with other bytes from `offset` on. */
export function changedAt(content: Buffer, offset: number, bytes = bytesOf('changed', 4096)) {
  const changed = Buffer.from(content);
  bytes.copy(changed, offset);
  return changed;
}

/** A file of a disk: its ranges are read and hashed as often as wanted. */
function diskFile(content: Buffer, path = 'file'): WriteSource {
  return {
    ...sourceOf(path, content),
    fingerprint: () => md5Of(content),
    hash: async (name) => (name === 'md5' ? md5Of(content) : undefined),
    pieces: {
      md5s: async (ranges) =>
        ranges.map(({ offset, length }) => md5Of(content.subarray(offset, offset + length))),
      async cuts() {
        let at = 0;
        return cutContent((room) => {
          const bytes = content.copy(room, 0, at);
          at += bytes;
          return bytes;
        });
      },
    },
  };
}

/** What runs of one machine have noted. */
class Noted {
  readonly objects = new Map<string, ObjectPieces>();
  readonly probed = new Map<string, PartCopies>();

  /** For `openS3`. */
  get access(): NonNullable<OpenS3Options['noted']> {
    return {
      pieces: async () => ({
        find: async (store, name) => this.objects.get(`${store} ${name}`),
        learn: async (store, name, pieces) => void this.objects.set(`${store} ${name}`, pieces),
      }),
      probes: async () => ({
        find: async (store, bucket) => this.probed.get(`${store} ${bucket}`),
        learn: async (store, bucket, shown) => {
          this.probed.set(`${store} ${bucket}`, shown);
          return true;
        },
      }),
    };
  }
}

/** Uploads of a changing file to `bucket/file`, each in a run of its own. */
export class DeltaWorld {
  readonly s3: TestS3;
  readonly noted = new Noted();
  readonly options: Readonly<Record<string, string>>;

  constructor(s3: TestS3, options: Readonly<Record<string, string>> = {}) {
    this.s3 = s3;
    this.options = {
      ...{ provider: 'AWS', force_path_style: 'true', upload_cutoff: '6M', delta: 'on' },
      ...options,
    };
  }

  /** Writes a content over the object that is there, as a sync does that has listed it. */
  async write(content: Buffer, more: OpenS3Options & { readonly signal?: AbortSignal } = {}) {
    const opened = await openS3(this.s3, 'bucket', {
      noted: this.noted.access,
      ...more,
      options: { ...this.options, ...more.options },
    });
    const { remote, events } = opened;
    try {
      const old = await this.#old();
      this.s3.log.clear();
      const op = { signal: more.signal ?? OP.signal, ...(old && { change: { replaces: old } }) };
      const written = await remote.write(diskFile(content), op);
      return { written, ...this.#seen(events) };
    } finally {
      await remote.close();
    }
  }

  async #old(): Promise<FileEntry | undefined> {
    const { remote } = await openS3(this.s3, 'bucket', { options: this.options });
    const { entries } = await remote.listPage('', undefined, OP);
    await remote.close();
    return entries.find(
      (entry): entry is FileEntry => entry.kind === 'file' && entry.path === 'file',
    );
  }

  #seen(events: readonly SyncerEvent[]) {
    const counts = this.s3.log.counts();
    const logs = events.flatMap((event) => (event.type === 'log' ? [messageOf(event)] : []));
    return { copies: counts.UploadPartCopy ?? 0, parts: counts.UploadPart ?? 0, logs };
  }

  /** The MD5 of the object's content, from its bytes. */
  async md5(): Promise<string> {
    const { remote } = await openS3(this.s3, 'bucket', { options: this.options });
    const file = (await remote.stat('file', OP)) as FileEntry;
    const chunks: Buffer[] = [];
    const body = await remote.read(file, undefined, OP);
    for await (const chunk of Buffer.isBuffer(body) ? [body] : body) chunks.push(chunk as Buffer);
    await remote.close();
    return md5Of(Buffer.concat(chunks));
  }

  /** What the server says of the object, without what differs between two writes of the same. */
  async head() {
    const command = new HeadObjectCommand({
      Bucket: 'bucket',
      Key: 'file',
      ChecksumMode: 'ENABLED',
    });
    const { $metadata: _, LastModified: _at, ...head } = await sdkClient(this.s3).send(command);
    return head;
  }

  /** How many uploads the server has that were neither completed nor aborted. */
  async unfinished(): Promise<number> {
    const command = new ListMultipartUploadsCommand({ Bucket: 'bucket' });
    return (await sdkClient(this.s3).send(command)).Uploads?.length ?? 0;
  }
}
