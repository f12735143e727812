import { SyncerError } from '../../src/core/errors.ts';
import { goJson } from '../../src/go/go-json.ts';
import type { Command } from '../../src/shell/command-line/command.ts';
import type { WHY_FLAGS } from './command.ts';
import { whyPath } from './why-path.ts';
import { whyJson, whyText } from './why-text.ts';

/** `syncer why source:path dest:path path` */
export const whyCommand: Command<typeof WHY_FLAGS> = async (invocation) => {
  const { flags, out, context } = invocation;
  const why = await whyPath(invocation, flags['why-as']);
  await out.write(
    flags.json ? `${goJson(whyJson(why), '\t')}\n` : whyText(why, context.clock.now()),
  );
  if (why.error !== undefined) throw why.error;
  if (why.sourceEntry !== undefined || why.destEntry !== undefined) return;
  throw new SyncerError('file-not-found', `neither side has ${why.path}`, { path: why.path });
};
