import { expect, test } from 'vitest';
import { carryOut } from '../../../../../commands/config/wizard/carry-out.ts';
import { openConfigFile } from '../../../../../src/config/config-file.ts';
import type { Draft, WizardKind } from '../../../../../src/config/dialogue/draft.ts';
import type { Outcome } from '../../../../../src/config/dialogue/step.ts';
import { iniText, parseIni } from '../../../../../src/config/ini-lines.ts';
import { isObscured } from '../../../../../src/config/obscure.ts';
import type { Invocation } from '../../../../../src/shell/command-line/command.ts';

const kind: WizardKind = {
  type: 'kind',
  summary: 'A kind.',
  options: [
    { name: 'host', type: 'string', help: 'h' },
    { name: 'pass', type: 'string', help: 'p', obscured: true },
  ],
};

async function fileOf(text: string) {
  const file = openConfigFile(
    undefined,
    () => {},
    async () => '',
  );
  await file.update(() => parseIni(text, 'file'));
  const context = { emit: () => {} };
  const consent = { how: 'all' };
  const invocation = { env: {}, flags: {}, context, consent } as unknown as Invocation;
  const former = async () => parseIni('[former]\ntype = kind\n', 'file');
  const run = (outcome: Outcome) =>
    carryOut(outcome, { file, former, adoptPassword: () => {} }, invocation);
  return { run, text: async () => iniText(await file.read()) };
}

const draft = (values: Record<string, string>, original?: Record<string, string>): Draft => ({
  name: 'r',
  kind,
  values: new Map(Object.entries(values)),
  original: original && new Map(Object.entries(original)),
});

test('a change writes what it changes; what others wrote meanwhile stays', async () => {
  const { run, text } = await fileOf(
    '# c\n[r]\ntype = kind\nhost = a\ngone = 1\ntoken = renewed\nodd = x\n',
  );
  const original = { host: 'a', gone: '1', token: 'old', odd: 'x' };
  const said = await run({
    type: 'save',
    draft: draft({ host: 'b', token: 'old', odd: 'x' }, original),
  });
  expect(said).toBe('Saved "r".');
  expect(await text()).toBe('# c\n[r]\ntype = kind\nhost = b\ntoken = renewed\nodd = x\n');
});

test('passwords are obscured, those that were not changed stay as they are', async () => {
  const { run, text } = await fileOf('');
  await run({ type: 'save', draft: draft({ pass: 'secret' }) });
  const stored = /pass = (.*)/.exec(await text())?.[1] ?? '';
  expect(isObscured(stored)).toBe(true);
  await run({ type: 'save', draft: draft({ pass: 'secret', host: 'h' }, { pass: 'secret' }) });
  expect(await text()).toBe(`[r]\ntype = kind\npass = ${stored}\nhost = h\n`);
});

test('a remote that was made or deleted meanwhile is not run over', async () => {
  const { run, text } = await fileOf('[r]\ntype = kind\n');
  await expect(run({ type: 'save', draft: draft({}) })).rejects.toThrow(
    'was created by another program',
  );
  await expect(run({ type: 'copy', from: 'r', to: 'r' })).rejects.toThrow(
    'was created by another program',
  );
  await expect(run({ type: 'copy', from: 'x', to: 'y' })).rejects.toThrow(
    'was deleted by another program',
  );
  expect(await text()).toBe('[r]\ntype = kind\n');
  await run({ type: 'save', draft: { ...draft({ host: 'new' }), replaces: true } });
  expect(await text()).toBe('[r]\ntype = kind\nhost = new\n');
  await run({ type: 'delete', name: 'r' });
  await expect(run({ type: 'save', draft: draft({}, {}) })).rejects.toThrow(
    'was deleted by another program',
  );
});

test('who renames is told who still leads to the old name', async () => {
  const { run } = await fileOf('[r]\ntype = kind\n[short]\ntype = alias\nremote = r:x\n');
  expect(await run({ type: 'rename', from: 'r', to: 's' })).toBe(
    'Renamed "r" to "s". "short" still refers to "r".',
  );
});

test('an undo takes nothing back that its question did not show', async () => {
  const { run, text } = await fileOf('[r]\ntype = kind\n[other]\ntype = kind\n');
  const values = new Map([['type', 'kind']]);
  const undo = (...names: string[]) =>
    run({ type: 'undo', shown: new Map(names.map((name) => [name, values])) });
  await expect(undo('r')).rejects.toThrow('was changed by another program: nothing is undone');
  expect(await text()).toBe('[r]\ntype = kind\n[other]\ntype = kind\n');
  await undo('r', 'other');
  expect(await text()).toBe('[former]\ntype = kind\n');
});
