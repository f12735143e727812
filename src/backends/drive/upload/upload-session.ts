import { SyncerError, toSyncerError } from '../../../core/errors.ts';
import { modTimeFromMs } from '../../../core/mod-time.ts';
import type { FileEntry, Op } from '../../../core/remote.ts';
import { isWithin, pathBelow } from '../../../core/remote-path.ts';
import { backOffMs } from '../../../core/retry.ts';
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
    let failures = 0;
    for (let from = Math.max(offset, this.taken); from < end; ) {
      let expected: number | 'done' | GraphItem;
      let problem: unknown;
      try {
        const request: GraphRequest = {
          ...this.#request('PUT', 'write'),
          headers: {
            'content-type': 'application/octet-stream',
            ...this.#client.transport.uploadHeaders,
            'content-range': `bytes ${from}-${end - 1}/${this.#size}`,
          },
          body: fragment.subarray(from - offset),
          tries: 1,
          isOnce: true,
        };
        const answer = await this.#client.call(request, op);
        this.isReplacing = answer.status === 200;
        expected = answer.status === 202 ? expectedIn(answer) : (answer.json as GraphItem);
        // Some services name no range before the end: the final item shows whether they have all.
        if (expected === 'done' && end < this.#size) expected = end;
      } catch (thrown) {
        op.signal.throwIfAborted();
        problem = thrown;
        if (++failures >= Math.max(this.#client.tries, 2)) throw thrown;
        expected = await this.#afterFailure(thrown, failures, op);
      }
      if (typeof expected === 'object') {
        if (end === this.#size) return expected;
        throw this.#unproven('the service reports completion before all data was sent');
      }
      if (expected === 'done') throw this.#lost('the response was lost');
      if (expected < offset || expected > end) {
        // The session still exists, and is not continued.
        await this.cancel();
        throw this.#lost('the service lost the uploaded data');
      }
      if (expected > this.taken) {
        failures = 0;
        this.taken = expected;
      } else if (problem === undefined && ++failures >= this.#client.tries) {
        throw this.#unproven('the service accepts the data but does not keep it');
      }
      from = expected;
    }
    if (end === this.#size) throw this.#lost('the response was lost');
    return undefined;
  }

  /** Cancels the upload. The service would discard it by itself later. */
  async cancel(): Promise<void> {
    const request = this.#request('DELETE', 'abort writing');
    const signal = AbortSignal.timeout(5000);
    await this.#client.call({ ...request, tries: 1 }, { signal }).catch(() => {});
  }

  /** Where to continue after a fragment that failed. Rejects with permanent errors. */
  async #afterFailure(thrown: unknown, failures: number, op: Op): Promise<number | 'done'> {
    const { clock, emit } = this.#client.context;
    const error = toSyncerError(thrown);
    const isOutOfTurn = hasStatus(thrown, 416);
    const isLost = hasStatus(thrown, 401, 404, 410);
    if (isLost && this.#patience.waitsLeft-- <= 0) {
      throw this.#lost('the upload session has expired');
    }
    if (!error.retry && !isOutOfTurn && !isLost) throw error;
    const ms = isLost ? 5000 : backOffMs(failures, error.retryAfterMs);
    if (!isOutOfTurn && error.code !== 'throttled') {
      emit({ type: 'wait', why: 'retry', ms, what: `write ${this.#path}`, error });
      await clock.sleep(ms, op.signal);
    }
    const expected = await this.#expected(op);
    if (expected === undefined) throw this.#lost('the upload session has expired');
    return expected;
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
