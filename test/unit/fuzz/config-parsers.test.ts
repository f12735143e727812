import fc from 'fast-check';
import { expect, test } from 'vitest';
import { dumpConfig, formatConfig } from '../../../commands/config/show-config.ts';
import { s3 } from '../../../src/backends/s3/index.ts';
import { splitCommand } from '../../../src/config/config-password.ts';
import { nextQuestion } from '../../../src/config/config-questions.ts';
import { decryptConfig } from '../../../src/config/encrypted-config.ts';
import { importRemotes } from '../../../src/config/import-remotes.ts';
import { iniSections, iniText, parseIni } from '../../../src/config/ini-lines.ts';
import { reveal } from '../../../src/config/obscure.ts';
import { formatRemoteSpec, parseRemoteSpec } from '../../../src/config/remote-spec.ts';
import { goJson } from '../../../src/go/go-json.ts';
import { hostileText, RUNS, refusesWell, refusesWellLater } from './hostile-text.ts';

test('files: what is understood is written back to the byte, and can be shown', () => {
  fc.assert(
    fc.property(hostileText, (text) => {
      const lines = refusesWell(() => parseIni(text, 'file'));
      if (lines === undefined) return;
      expect(iniText(lines)).toBe(text);
      formatConfig(lines);
      JSON.parse(dumpConfig(iniSections(lines)));
    }),
    RUNS,
  );
});

test('encrypted files', async () => {
  await fc.assert(
    fc.asyncProperty(hostileText, async (text) => {
      const bytes = Buffer.from(`RCLONE_ENCRYPT_V0:\n${text}`);
      await refusesWellLater(() => decryptConfig(bytes, 'file', async () => text));
    }),
    RUNS,
  );
});

test('obscured passwords and password commands', () => {
  fc.assert(
    fc.property(hostileText, (text) => {
      refusesWell(() => reveal(text));
      splitCommand(text);
    }),
    RUNS,
  );
});

test('connection strings: what is understood means the same when it is written again', () => {
  const spec = fc.oneof(
    hostileText,
    hostileText.map((text) => `:s3,${text}:b`),
    hostileText.map((text) => `x,k=${text}:b`),
  );
  fc.assert(
    fc.property(spec, (text) => {
      const parsed = refusesWell(() => parseRemoteSpec(text));
      if (parsed === undefined) return;
      expect(parseRemoteSpec(formatRemoteSpec(parsed))).toEqual(parsed);
    }),
    RUNS,
  );
});

test('foreign configurations: what is imported is there, and what was there stays', () => {
  const values = fc.dictionary(hostileText, hostileText, { maxKeys: 3 });
  const foreign = fc.array(fc.tuple(hostileText, values, fc.constantFrom('s3', 'alias', 'other')));
  fc.assert(
    fc.property(foreign, (remotes) => {
      const sections = remotes.map(([name, keys, type]) => {
        return [name, new Map([...Object.entries(keys), ['type', type]])] as const;
      });
      const here = parseIni('[mine]\ntype = local\n', 'file');
      const result = refusesWell(() => importRemotes(here, new Map(sections), false));
      if (result === undefined) return;
      const after = iniSections(parseIni(iniText(result.lines), 'file'));
      expect(after.get('mine')?.get('type')).toBe('local');
      for (const { name, outcome } of result.remotes) {
        if (outcome === 'imported') expect(after.has(name)).toBe(true);
      }
    }),
    RUNS,
  );
});

test('the dialogue of config create comes to an end or asks', () => {
  const values = fc.dictionary(hostileText, hostileText, { maxKeys: 3 });
  const state = fc.oneof(
    hostileText,
    fc
      .constantFrom('*all', '*all-set', '*all-advanced')
      .chain((action) =>
        fc
          .tuple(fc.integer({ min: -2, max: 200 }), fc.boolean())
          .map(([index, flag]) => `${action},${index},${flag}`),
      ),
  );
  fc.assert(
    fc.property(state, hostileText, values, fc.boolean(), (state, result, given, takeDefaults) => {
      const choices = new Map(Object.entries(given));
      const answered = refusesWell(() =>
        nextQuestion(s3, new Map([['type', 's3']]), { state, result }, choices, takeDefaults),
      );
      if (answered?.question.option !== undefined)
        JSON.parse(goJson(answered.question.option, '\t'));
    }),
    RUNS,
  );
});
