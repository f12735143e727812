import { SyncerError } from '../../../core/errors.ts';
import { modTimeFromMs } from '../../../core/mod-time.ts';
import type { FileEntry, Op } from '../../../core/remote.ts';
import { isWithin, pathBelow } from '../../../core/remote-path.ts';
import { type RetryPolicy, requestPolicy, retry } from '../../../core/retry.ts';
import type { RecordedPart, UploadRecord } from '../../../core/upload-records.ts';
import type { GraphClient } from '../client/graph-client.ts';
import {
  badAnswer,
  type GraphAnswer,
  type GraphRequest,
  hasStatus,
} from '../client/graph-request.ts';
import type { DriveStore } from '../drive-store.ts';
import type { GraphItem } from '../items/graph-item.ts';

/** The session is lost: the upload must start again, unless the file exists already. */
export class SessionLost extends SyncerError {}

/** The service has accepted bytes, and still expects the same ones. */
class NotStored extends SyncerError {}

/** Whether the service denies the session, as busy servers also do with existing ones. */
const isDenied = (error: SyncerError): boolean => hasStatus(error, 401, 404, 410);

/** A fragment is sent again from where the service has it. */
const fragmentPolicy: RetryPolicy = {
  ...requestPolicy,
  mayHelp: (error) => {
    if (error instanceof SessionLost) return false;
    const isOutOfTurn = hasStatus(error, 416);
    return error.retry || isOutOfTurn || isDenied(error) || error instanceof NotStored;
  },
  waitMs: (error, failures, random) => {
    if (isDenied(error)) return 5000;
    // Throttled requests wait at the limiter, all together.
    const isElsewhere = error.code === 'throttled' || hasStatus(error, 416);
    if (isElsewhere || error instanceof NotStored) return undefined;
    return requestPolicy.waitMs(error, failures, random);
  },
};

/** A file being uploaded in fragments, one after the other. */
export class UploadSession {
  readonly #client: GraphClient;
  readonly #url: URL;
  readonly #path: string;
  /** Of the file, in bytes. */
  readonly #size: number;
  readonly #patience: { waitsLeft: number };
  /** Absent if the upload cannot be resumed. */
  readonly record: UploadRecord | undefined;
  /** The recorded fragments, which were sent or are being sent, by number from 1. */
  readonly fragments: Map<number, RecordedPart>;
  /** How many bytes the service has accepted. */
  taken = 0;
  /** Whether the finished upload has replaced another content, as the service says. */
  isReplacing = false;

  /** @param patience of all sessions of one file: busy servers deny existing ones, which is waited out a few times */
  constructor(
    client: GraphClient,
    url: URL,
    path: string,
    size: number,
    patience = { waitsLeft: 2 },
    record?: UploadRecord,
  ) {
    this.#client = client;
    this.#url = url;
    this.#path = path;
    this.#size = size;
    this.#patience = patience;
    this.record = record;
    this.fragments = new Map(record?.parts.map((part) => [part.number, part]));
  }

  /** Asks how many bytes the service has, to continue there; `undefined` if the session has ended. */
  async ask(op: Op): Promise<number | undefined> {
    const expected = await this.#expected(op);
    if (expected === undefined || expected === 'done' || expected > this.#size) return undefined;
    this.taken = expected;
    return expected;
  }

  /** Sends a fragment; resolves to the file after the last one. Rejects with `SessionLost`, or with `bad-answer`. */
  async send(offset: number, fragment: Buffer, op: Op): Promise<GraphItem | undefined> {
    const end = offset + fragment.length;
    let from = Math.max(offset, this.taken);
    const continueAt = async (expected: number | 'done') => {
      if (expected === 'done') throw this.#lost('the response was lost');
      if (expected < offset || expected > end) {
        // The session still exists, and is not continued.
        await this.cancel();
        throw this.#lost('the service lost the uploaded data');
      }
      this.taken = Math.max(this.taken, expected);
      from = expected;
    };
    const sendRest = async (): Promise<GraphItem | undefined> => {
      while (from < end) {
        const before = this.taken;
        const stored = await this.#put(fragment.subarray(from - offset), from, op);
        if (typeof stored === 'object') {
          if (end === this.#size) return stored;
          throw this.#unproven('the service reports completion before all data was sent');
        }
        // Some services name no range before the end: the final item shows whether they have all.
        await continueAt(stored === 'done' && end < this.#size ? end : stored);
        if (this.taken === before) {
          const why = 'the service accepts the data but does not keep it';
          throw new NotStored('bad-answer', this.#unproven(why).message);
        }
      }
      if (end === this.#size) throw this.#lost('the response was lost');
      return undefined;
    };
    const { tries, context } = this.#client;
    return retry(sendRest, {
      // After a failure the service is asked at least once what it has.
      tries: Math.max(tries, 2),
      what: `write ${this.#path}`,
      signal: op.signal,
      context,
      policy: fragmentPolicy,
      progress: () => this.taken,
      giveUp: (error, failures) => {
        if (error instanceof NotStored) return failures >= tries;
        const isOver = isDenied(error) && this.#patience.waitsLeft-- <= 0;
        return isOver && this.#lost('the upload session has expired');
      },
      prepare: async (error) => {
        if (error instanceof NotStored) return;
        const expected = await this.#expected(op);
        if (expected === undefined) throw this.#lost('the upload session has expired');
        await continueAt(expected);
      },
    });
  }

  /** Cancels the upload. The service would discard it by itself later. */
  async cancel(): Promise<void> {
    const request = this.#request('DELETE', 'abort writing');
    const signal = AbortSignal.timeout(5000);
    await this.#client.call({ ...request, tries: 1 }, { signal }).catch(() => {});
  }

  /** Sends bytes of a fragment once; resolves to the first byte that the service expects next, or to the file. */
  async #put(body: Buffer, from: number, op: Op): Promise<number | 'done' | GraphItem> {
    const request: GraphRequest = {
      ...this.#request('PUT', 'write'),
      headers: {
        'content-type': 'application/octet-stream',
        ...this.#client.transport.uploadHeaders,
        'content-range': `bytes ${from}-${from + body.length - 1}/${this.#size}`,
      },
      body,
      tries: 1,
      isOnce: true,
    };
    const answer = await this.#client.call(request, op);
    this.isReplacing = answer.status === 200;
    return answer.status === 202 ? expectedIn(answer) : (answer.json as GraphItem);
  }

  /** The first byte that the service still expects; `undefined` if the session has ended. */
  async #expected(op: Op): Promise<number | 'done' | undefined> {
    try {
      return expectedIn(await this.#client.call(this.#request('GET', 'ask for'), op));
    } catch (asked) {
      if (hasStatus(asked, 401, 404, 410)) return undefined;
      throw asked;
    }
  }

  #request(method: GraphRequest['method'], doing: string): GraphRequest {
    return { method, to: this.#url, isOpen: true, doing, about: this.#path };
  }

  #unproven(why: string): SyncerError {
    return badAnswer({ doing: 'write', about: this.#path }, why);
  }

  #lost(why: string): SessionLost {
    return new SessionLost('network', `cannot write ${this.#path}: ${why}`);
  }
}

/** The first byte that the service still expects; `done` if none. */
function expectedIn({ json }: GraphAnswer): number | 'done' {
  const ranges = json['nextExpectedRanges'];
  const [first] = Array.isArray(ranges) ? (ranges as unknown[]) : [];
  const start = typeof first === 'string' ? /^\d+/.exec(first)?.[0] : undefined;
  return start === undefined ? 'done' : Number(start);
}

/** `Capabilities.listUploads`: the service lists no sessions, so these are the recorded ones of this user. */
export async function* listOwnUploads(
  store: DriveStore,
  path: string,
): AsyncGenerator<readonly FileEntry[]> {
  if (store.uploads === undefined) return;
  const [root, asked] = [store.toService(''), store.toService(path)];
  const records = await (await store.uploads.open()).list(store.id);
  yield records
    .filter(({ head }) => isWithin(asked, head.path))
    .map(({ head, parts, touchedMs }) => ({
      kind: 'file',
      path: store.toStandard(pathBelow(root, head.path) ?? ''),
      size: parts.reduce((sum, { size }) => sum + size, 0),
      modTime: modTimeFromMs(Math.trunc(touchedMs)),
      kept: { kind: 'upload', id: '', parts: parts.length },
    }));
}

/** Cancels the recorded uploads of one of these files. */
export async function cancelOwnUpload(store: DriveStore, { path }: FileEntry, op: Op) {
  op.signal.throwIfAborted();
  const all = await store.uploads?.open();
  const records = (await all?.take(store.id, store.toService(path))) ?? [];
  if (records.length === 0) {
    throw new SyncerError('locked', `a running process uploads ${path}`, { path });
  }
  for (const record of records) {
    const url = new URL(record.head.id);
    await new UploadSession(store.client, url, path, record.head.size).cancel();
    await record.delete();
  }
}
