import { openReviewScreen } from '../../components/open.ts';
import { SyncerError } from '../../src/core/errors.ts';
import type { Verb } from '../../src/engine/action.ts';
import { reviewed } from '../../src/run/review/reviewed.ts';
import { runTransfer } from '../../src/run/transfer/transfer.ts';
import type { Invocation } from '../../src/shell/command-line/command.ts';

export const copyCommand = (invocation: Invocation) => transfer(invocation, 'copy');

export const copytoCommand = (invocation: Invocation) => transfer(invocation, 'copy', true);

export const moveCommand = (invocation: Invocation) => transfer(invocation, 'move');

export const movetoCommand = (invocation: Invocation) => transfer(invocation, 'move', true);

export const syncCommand = (invocation: Invocation) => transfer(invocation, 'sync');

export function convmvCommand(invocation: Invocation): Promise<void> {
  if (invocation.flags['name-transform'].length === 0) {
    throw new SyncerError('usage', '--name-transform must be set');
  }
  return runTransfer(invocation, 'move', false);
}

function transfer(invocation: Invocation, verb: Verb, asNamed = false): Promise<void> {
  const title = asNamed ? `${verb}to` : verb;
  return reviewed(invocation, { title, show: openReviewScreen }, (under) =>
    runTransfer(under, verb, asNamed),
  );
}
