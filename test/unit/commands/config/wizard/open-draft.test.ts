import { expect, test } from 'vitest';
import { openDraft } from '../../../../../commands/config/wizard/wizard-works.ts';
import { COMMANDS } from '../../../../../commands/index.ts';
import { BACKENDS } from '../../../../../src/backends/index.ts';
import type { ConfigFile } from '../../../../../src/config/config-file.ts';
import { systemClock } from '../../../../../src/core/context.ts';
import type { Invocation } from '../../../../../src/shell/command-line/command.ts';
import { parseCommandLine } from '../../../../../src/shell/command-line/parse-command-line.ts';

test.each(['local', 's3'])('a draft of %s has the root of the remote it becomes', async (type) => {
  const kind = BACKENDS.find((backend) => backend.type === type);
  if (kind === undefined) throw new Error(type);
  const { flags } = parseCommandLine(['config'], {
    ...{ commands: COMMANDS, backendFlags: [], env: {}, nowMs: 0 },
  });
  const { signal } = new AbortController();
  const context = { signal, emit: () => {}, clock: systemClock };
  const invocation = { context, flags, env: {} } as unknown as Invocation;
  const file = { path: '', read: async () => '' } as unknown as ConfigFile;
  const draft = { name: 'new', kind, values: new Map(), original: undefined };
  const { params } = await openDraft(invocation, file, draft, signal, 1);
  expect(params.root).toBe('');
});
