import { type Metadata, modTimeIn } from '../../../core/entry-details.ts';
import { SyncerError } from '../../../core/errors.ts';
import type { ModTime } from '../../../core/mod-time.ts';
import type { FileEntry, Op } from '../../../core/remote.ts';
import { meaningOf } from '../client/error-meaning.ts';
import type { GraphClient } from '../client/graph-client.ts';
import { saysMissing } from '../client/graph-error.ts';
import { badAnswer } from '../client/graph-request.ts';
import type { DriveStore } from '../drive-store.ts';
import { compareContent } from '../items/compare-content.ts';
import { type GraphItem, isSameId } from '../items/graph-item.ts';
import type { ItemAddress } from '../items/item-address.ts';
import { NO_TIME } from '../items/item-entry.ts';

import { tellFile } from '../items/tell-entry.ts';
import { propertiesOf, setTime } from './set-mod-time.ts';

/** A copy that the service reports as completed. */
export interface MadeCopy {
  /** Its name in a folder. */
  readonly address: ItemAddress;
  /** Nothing else can have its name. */
  readonly hasOwnName: boolean;
  /** Its id in the service's response. */
  readonly toldId?: string;
  /** When it was requested, by the service's clock. */
  readonly begunMs?: number;
}

/** What a copy is to be. */
export interface WantedCopy {
  /** The copied file. */
  readonly file: FileEntry;
  /** The path of the copy. */
  readonly path: string;
  /** Its metadata; `undefined`: only the time of the file. */
  readonly metadata: Metadata | undefined;
}

/** The time that a copy gets. */
export function timeOf({ file, metadata }: WantedCopy): ModTime | undefined {
  return (metadata && modTimeIn(metadata)) ?? file.modTime;
}

/** How far the service's clocks may differ, in milliseconds. */
const CLOCKS_MS = 5000;

/**
 * Sets the time and the metadata of a copy and verifies it: the old file may still be there, whatever the service
 * reports. Rejects with `source-changed` if it holds other content, with `bad-answer` if it is no copy;
 * `SyncerError.wrong` is the file under its name.
 */
export async function finishCopy(
  store: DriveStore,
  copy: MadeCopy,
  wantedCopy: WantedCopy,
  op: Op,
): Promise<GraphItem> {
  const { address } = copy;
  const { file, path, metadata } = wantedCopy;
  const asked = { doing: 'copy', about: file.path };
  const modTime = timeOf(wantedCopy);
  const timed = { path: file.path, ...(modTime === undefined ? {} : { modTime }) };
  const properties = metadata && (await propertiesOf(store, { ...timed, metadata }, op));
  const wanted = { ...timed, ...(properties === undefined ? {} : { properties }) };
  const item = await setTime(store, address, wanted, op).catch((thrown) => {
    if (!saysMissing(thrown)) throw thrown;
    throw badAnswer(asked, 'the service reports success, but there is no copy');
  });
  const there = await tellFile(store, item, path, op);
  const content = compareContent(there, file, store.mayDiffer);
  const isTold = copy.hasOwnName || (copy.toldId !== undefined && isSameId(item.id, copy.toldId));
  if (content === 'same' || (content === 'unknown' && isTold)) return item;
  const self = { driveId: address.driveId, id: item.id ?? '', rest: '' };
  if (content === 'other' && isTold && isNew(item, copy)) {
    throw new SyncerError('source-changed', `${file.path} changed while it was copied`, {
      path,
      ...(copy.hasOwnName ? {} : { wrong: { ...there, ...store.client.toldAt() } }),
    });
  }
  const why = 'the service reports success, but another file is there';
  const { code, message } = badAnswer(asked, why);
  const isTimed = await setTime(store, self, { path, modTime: NO_TIME }, op).catch(() => undefined);
  // Without an etag it does not count as a file written here.
  const { etag: _etag, ...foreign } = there;
  throw new SyncerError(code, message, { path, ...(isTimed ? {} : { wrong: foreign }) });
}

function isNew({ createdDateTime = '' }: GraphItem, { hasOwnName, begunMs }: MadeCopy): boolean {
  return (
    hasOwnName || (begunMs !== undefined && Date.parse(createdDateTime) >= begunMs - CLOCKS_MS)
  );
}

/** How long to wait before the first status request, and at most between two, in milliseconds. */
const FIRST_WAIT_MS = 100;

const LONGEST_WAIT_MS = 2000;

/** A copy without progress for this time has failed, in milliseconds. */
const STUCK_MS = 15 * 60_000;

/** The service reports that it could not make the copy. */
export class CopyFailed extends SyncerError {}

/**
 * Waits for the copy; resolves to its ID if the service reports it. Rejects with `CopyFailed` if there will be
 * none, with the code `already-exists` if the name is taken.
 *
 * @param monitor a secret, as it needs no login
 */
export async function awaitCopy(
  client: GraphClient,
  monitor: URL,
  about: string,
  op: Op,
): Promise<string | undefined> {
  const { clock } = client.context;
  const asked = { doing: 'copy', about };
  const request = {
    method: 'GET',
    to: monitor,
    isOpen: true,
    takesRedirect: true,
    ...asked,
  } as const;
  let progress: unknown;
  let waitMs = FIRST_WAIT_MS;
  for (let stuckMs = 0; stuckMs < STUCK_MS; stuckMs += waitMs) {
    await clock.sleep(waitMs, op.signal);
    waitMs = Math.min(LONGEST_WAIT_MS, waitMs * 2);
    const { status, json } = await client.call(request, op);
    const { resourceId, percentageComplete } = json;
    if (json['status'] === 'failed') throw failure(json, about);
    if (json['status'] === 'completed' || status >= 300) {
      return typeof resourceId === 'string' ? resourceId : undefined;
    }
    if (typeof json['id'] === 'string' && json['status'] === undefined) return json['id'];
    if (status !== 202 && typeof json['status'] !== 'string') {
      throw badAnswer(asked, 'the service reports no progress');
    }
    if (percentageComplete !== progress) stuckMs = 0;
    progress = percentageComplete;
  }
  throw new SyncerError('timed-out', `cannot copy ${about}: the copy makes no progress`);
}

function failure(json: Readonly<Record<string, unknown>>, about: string): CopyFailed {
  const { code } = (json['error'] ?? {}) as { readonly code?: unknown };
  const codes = [json['errorCode'], code].filter((each) => typeof each === 'string');
  const known = meaningOf(400, codes);
  const named = codes.find((each) => /^\w{1,60}$/.test(each)) ?? 'failed';
  return new CopyFailed(known.code, `cannot copy ${about}: ${known.text} (${named})`);
}
