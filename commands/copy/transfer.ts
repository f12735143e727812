import { openReviewScreen } from '../../components/open.ts';
import { SyncerError } from '../../src/core/errors.ts';
import type { Verb } from '../../src/engine/action.ts';
import { reviewed } from '../../src/run/review/reviewed.ts';
import { runTransfer, type TransferNeeds } from '../../src/run/transfer/transfer.ts';

export const copyCommand = (invocation: TransferNeeds) => transfer(invocation, 'copy');

export const copytoCommand = (invocation: TransferNeeds) => transfer(invocation, 'copy', true);

export const moveCommand = (invocation: TransferNeeds) => transfer(invocation, 'move');

export const movetoCommand = (invocation: TransferNeeds) => transfer(invocation, 'move', true);

export const syncCommand = (invocation: TransferNeeds) => transfer(invocation, 'sync');

export function convmvCommand(invocation: TransferNeeds): Promise<void> {
  if (invocation.flags['name-transform'].length === 0) {
    throw new SyncerError('usage', '--name-transform must be set');
  }
  return runTransfer(invocation, 'move', false);
}

function transfer(invocation: TransferNeeds, verb: Verb, asNamed = false): Promise<void> {
  const title = asNamed ? `${verb}to` : verb;
  return reviewed(invocation, { title, show: openReviewScreen }, (under) =>
    runTransfer(under, verb, asNamed),
  );
}
