import type { Invocation } from '../app/command.ts';
import type { Flags } from '../app/flags/flag-table.ts';
import { runTransfer } from '../app/transfer/transfer.ts';
import type { TransferReport } from '../browser/place-effects.ts';
import { SyncerError } from '../core/errors.ts';
import type { Op } from '../core/remote.ts';
import { passAllFilter } from '../filter/filter.ts';
import type { ChangeGuard } from '../sync/change-guard.ts';
import { transferEvents } from './transfer-events.ts';

/** One transfer, as `copyto` and `moveto` make it. */
export interface OneTransfer {
  readonly verb: 'copy' | 'move';
  /** As on the command line. */
  readonly from: string;
  readonly to: string;
  /** Decides what is changed; absent: everything. */
  readonly guard?: ChangeGuard;
  /** Filter rules apply, and flags that say what is skipped. */
  readonly isChosen?: boolean;
}

/** What the person at the keyboard has named goes whole, whatever flags were given for transfers of many. */
const WHOLE: Partial<Flags> = {
  ...{ existing: false, 'ignore-existing': false, update: false, 'size-only': false },
  ...{ 'ignore-times': true, 'ignore-size': false, 'no-check-dest': false, immutable: false },
  ...{ 'compare-dest': [], 'copy-dest': [], 'error-on-no-transfer': false },
  ...{ 'backup-dir': '', suffix: '', 'create-empty-src-dirs': true, 'delete-empty-src-dirs': true },
};

/** Transfers a file or directory with the engine; rejects with the first failure. */
export async function oneTransfer(
  invocation: Invocation,
  { verb, from, to, guard, isChosen = false }: OneTransfer,
  report: TransferReport,
  op: Op,
): Promise<void> {
  let failure: SyncerError | undefined;
  const events = transferEvents({
    ...report,
    failed(path, message) {
      const where = path === '' ? '' : `${path}: `;
      failure ??= new SyncerError('other', `${where}${message}`);
    },
  });
  const context = { ...invocation.context, signal: op.signal, emit: events.emit };
  const flags = { ...invocation.flags, ...(isChosen ? {} : WHOLE), 'error-on-no-transfer': false };
  const filter = isChosen ? invocation.filter : async () => passAllFilter;
  const { control, ...rest } = invocation;
  const own: Invocation = { ...rest, args: [from, to], flags, context, filter, guard };
  try {
    await runTransfer(own, verb, true);
  } catch (thrown) {
    op.signal.throwIfAborted();
    events.finish();
    throw failure ?? thrown;
  }
  events.finish();
  if (failure !== undefined) throw failure;
}
