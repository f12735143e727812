import { alike, around } from '../../src/core/around.ts';
import { hasCode, SyncerError } from '../../src/core/errors.ts';
import type { Emit } from '../../src/core/events.ts';
import { defaultValue, type FlagDefinition } from '../../src/core/flags.ts';
import { membersOf } from '../../src/core/members.ts';
import type { FileEntry, Op, Remote, WriteSource } from '../../src/core/remote.ts';
import { ALL, type Consent } from '../../src/engine/consent.ts';
import { fileAt } from '../../src/engine/file-at.ts';
import { PASSES } from '../../src/engine/passes/list.ts';
import { passAllFilter } from '../../src/filter/filter.ts';
import { runTransfer, type TransferNeeds } from '../../src/run/transfer/transfer.ts';
import type { Flags } from '../../src/shell/flags/flag-table.ts';
import { messageOf } from '../../src/shell/log/words.ts';
import type { TransferReport } from '../../src/size-tree/browser-effects.ts';

/** What the person at the keyboard has named goes whole, whatever flags were given for transfers of many. */
const WHOLE: Partial<Flags> = {
  existing: false,
  'ignore-existing': false,
  update: false,
  'size-only': false,
  'ignore-times': true,
  'ignore-size': false,
  'no-check-dest': false,
  immutable: false,
  'error-on-no-transfer': false,
  // The flags of passes that are for many files, as if they were not given.
  ...Object.fromEntries(
    PASSES.flatMap(({ flags, isForMany }) =>
      isForMany
        ? Object.entries<FlagDefinition>(flags).map(([key, row]) => [key, defaultValue(row)])
        : [],
    ),
  ),
  'create-empty-src-dirs': true,
  'delete-empty-src-dirs': true,
};

/** Transfers a file or directory with the engine, as `copyto` and `moveto` do; rejects with the first failure. */
export async function oneTransfer(
  invocation: TransferNeeds,
  transfer: {
    readonly verb: 'copy' | 'move';
    /** As on the command line. */
    readonly from: string;
    readonly to: string;
    /** Decides what is changed; absent: everything. */
    readonly consent?: Consent;
    /** Filter rules apply, and flags that say what is skipped. */
    readonly isChosen?: boolean;
    /** What is put around the destination. */
    readonly layer?: (dest: Remote) => Remote;
    /** Gets what happens, for the history. */
    readonly emit?: Emit;
  },
  report: TransferReport,
  op: Op,
): Promise<void> {
  const { verb, from, to, consent = ALL, isChosen = false, layer, emit = () => {} } = transfer;
  let failure: SyncerError | undefined;
  const events = transferEvents({
    ...report,
    failed(path, message) {
      const where = path === '' ? '' : `${path}: `;
      failure ??= new SyncerError('other', `${where}${message}`);
    },
  });
  const both: Emit = (event) => {
    emit(event);
    events.emit(event);
  };
  const context = { ...invocation.context, signal: op.signal, emit: both };
  const flags = { ...invocation.flags, ...(isChosen ? {} : WHOLE), 'error-on-no-transfer': false };
  const filter = isChosen ? invocation.filter : async () => passAllFilter;
  const { control, ...rest } = invocation;
  const own = { ...rest, args: [from, to], flags, context, filter, consent };
  try {
    await runTransfer(own, verb, true, layer);
  } catch (thrown) {
    op.signal.throwIfAborted();
    events.finish();
    throw failure ?? thrown;
  }
  events.finish();
  if (failure !== undefined) throw failure;
}

/**
 * A layer whose writes keep the metadata and the MIME type of a file, and replace only that one (`undefined`: nothing),
 * as far as the remote can. Other stores keep what they have of a file by themselves.
 * @param copied the file of which it is an edited copy, and the MD5 of that copy now
 */
export async function replacing(
  copied: { readonly remote: Remote; readonly path: string; md5(): Promise<string> },
  file: FileEntry | undefined,
  op: Op,
): Promise<(dest: Remote) => Remote> {
  const { remote, path, md5 } = copied;
  const { bucketBased } = remote.traits;
  const details = file && bucketBased ? await remote.can.details?.read(file, op) : undefined;
  const { mimeType, metadata } = details ?? {};
  const kept = {
    ...(mimeType === undefined ? {} : { mimeType }),
    ...(metadata === undefined ? {} : { metadata }),
  };
  const writeOver = async (dest: Remote, source: WriteSource, op: Op): Promise<FileEntry> => {
    const whole = { ...source, ...kept };
    if (dest.can.writesIfUnchanged !== true) return dest.write(whole, op);
    try {
      return await dest.write({ ...whole, replaces: file ?? 'nothing' }, op);
    } catch (thrown) {
      // A server without conditions: the file was looked at just now.
      if (hasCode(thrown, 'unsupported')) return dest.write(whole, op);
      if (!hasCode(thrown, 'precondition-failed')) throw thrown;
      // The response may have been lost, and the request sent again.
      const now = await fileAt({ op }, remote, path);
      if (now?.hashes?.md5 !== undefined && now.hashes.md5 === (await md5()))
        return { ...now, path: source.path };
      const text = `${path} has changed since the question`;
      throw new SyncerError('precondition-failed', text, { cause: thrown });
    }
  };
  return (dest) =>
    around(dest, 'chosen-file', {
      ...alike(membersOf(), 'passes'),
      write: () => (source, op) => writeOver(dest, source, op),
    });
}

/** Turns the events of a run into reports of a transfer in the browser; failures wait for what mends them. */
export function transferEvents(report: TransferReport) {
  /** Those that are no checks. */
  const running = new Map<number, { readonly size: number; bytes: number }>();
  const pass = (id: number, bytes: number) => {
    const one = running.get(id);
    if (one === undefined || bytes === 0) return;
    one.bytes += bytes;
    report.bytes(bytes);
  };
  let failures: { readonly path: string; readonly message: string }[] = [];
  let told = 0;
  const emit: Emit = (event) => {
    switch (event.type) {
      case 'transfer-queued':
        report.found(event.files, event.bytes);
        return;
      case 'transfer-start': {
        const { id, kind, size } = event;
        if (kind !== 'check') running.set(id, { size: Math.max(0, size), bytes: 0 });
        return;
      }
      case 'transfer-bytes':
        return pass(event.id, event.bytes);
      case 'transfer-restart':
        return pass(event.id, -(running.get(event.id)?.bytes ?? 0));
      case 'transfer-end': {
        const one = running.get(event.id);
        if (one === undefined) return;
        pass(event.id, (event.error === undefined ? one.size : 0) - one.bytes);
        running.delete(event.id);
        if (event.error === undefined) report.done(1);
        return;
      }
      case 'log':
        if (event.code === 'failed') {
          failures.push({ path: event.path ?? '', message: messageOf(event) });
        }
        return;
      case 'retry-run':
        failures = [];
    }
  };
  return {
    emit,
    /** Failures that stand: another attempt takes them back. */
    get failures() {
      return failures.length + told;
    },
    finish() {
      for (const { path, message } of failures) report.failed(path, message);
      told += failures.length;
      failures = [];
    },
  };
}
