import { SyncerError } from '../../../core/errors.ts';
import type { Op } from '../../../core/remote.ts';
import { meaningOf } from '../client/error-meaning.ts';
import type { GraphClient } from '../client/graph-client.ts';
import { badAnswer } from '../client/graph-request.ts';

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
