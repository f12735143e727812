import { openReviewScreen } from '../../components/open.ts';
import { SyncerError } from '../../src/core/errors.ts';
import type { Verb } from '../../src/engine/action.ts';
import { reviewed } from '../../src/run/review/reviewed.ts';
import { runTransfer } from '../../src/run/transfer/transfer.ts';
import type { Command, Invocation } from '../../src/shell/command-line/command.ts';

/** `syncer copy source:path dest:path` */
export const copyCommand: Command = (invocation) => transfer(invocation, 'copy');

/** `syncer copyto source:path dest:path` */
export const copytoCommand: Command = (invocation) => transfer(invocation, 'copy', true);

/** `syncer move source:path dest:path` */
export const moveCommand: Command = (invocation) => transfer(invocation, 'move');

/** `syncer moveto source:path dest:path` */
export const movetoCommand: Command = (invocation) => transfer(invocation, 'move', true);

/** `syncer sync source:path dest:path` */
export const syncCommand: Command = (invocation) => transfer(invocation, 'sync');

/** `syncer convmv remote:path` */
export const convmvCommand: Command = (invocation) => {
  if (invocation.flags['name-transform'].length === 0) {
    throw new SyncerError('usage', '--name-transform must be set');
  }
  return runTransfer(invocation, 'move', false);
};

function transfer(invocation: Invocation, verb: Verb, asNamed = false): Promise<void> {
  const title = asNamed ? `${verb}to` : verb;
  return reviewed(invocation, { title, show: openReviewScreen }, (under) =>
    runTransfer(under, verb, asNamed),
  );
}
