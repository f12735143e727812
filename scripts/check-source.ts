import { readFile, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { findDocCommentFaults, findNamedFileFaults } from './checks/doc-comment-faults.ts';
import { findNameFaults, findSizeFaults, findTypeNameFaults } from './checks/file-faults.ts';
import { findLayerFaults } from './checks/layer-faults.ts';
import { findForbiddenNames, findNameWordFaults, isOld } from './checks/name-word-faults.ts';
import { formatOldNames, moveOldNames, OLD_NAMES, parseOldNames } from './checks/old-names.ts';
import { findProseFaults } from './checks/prose-faults.ts';
import { findRuleFaults } from './checks/rule-faults.ts';
import { readPages, readSourceFiles } from './checks/source-files.ts';
import { findWordFaults } from './checks/word-faults.ts';

/**
 * Checks what the linter cannot: layers and cycles, names and lengths of files, doc comments, prose, rules, words.
 * `--record-old-names` first drops the old names that are gone; it adds none, but after the file of old names was
 * deleted it records all, for a new word in the table. `--moved OLD NEW…` does so after it has moved those of files or
 * directories.
 */
const { values, positionals } = parseArgs({
  options: { 'record-old-names': { type: 'boolean' }, moved: { type: 'boolean' } },
  allowPositionals: true,
});
const root = resolve(import.meta.dirname, '..');
const files = await readSourceFiles(root);
const forbidden = findForbiddenNames(files);
const oldNamesFile = join(root, OLD_NAMES);
const recorded = await readFile(oldNamesFile, 'utf8').catch(() => undefined);
let oldNames = parseOldNames(recorded ?? '');
if (values.moved) {
  for (let at = 0; at < positionals.length; at += 2) {
    const [from = '', to = ''] = positionals.slice(at, at + 2);
    if (!files.some(({ path }) => path === to || path.startsWith(`${to}/`))) {
      console.error(
        `check-source: there is no source file ${to}: use --moved OLD NEW after git mv`,
      );
      process.exit(2);
    }
    oldNames = moveOldNames(oldNames, from, to);
  }
}
if (values.moved || values['record-old-names']) {
  const names = forbidden.filter((name) => recorded === undefined || isOld(name, oldNames));
  const text = formatOldNames(names);
  await writeFile(oldNamesFile, text);
  oldNames = parseOldNames(text);
}
const faults = [
  ...findLayerFaults(files),
  ...findNameFaults(files.map(({ path }) => path)),
  ...findSizeFaults(files),
  ...findTypeNameFaults(
    files.filter(({ path }) => /^(src|commands|components|installer)\//.test(path)),
  ),
  ...findDocCommentFaults(files.filter(({ path }) => /^(src|scripts|components)\//.test(path))),
  ...findNamedFileFaults(files.filter(({ path }) => !path.startsWith('test/'))),
  ...findProseFaults(files),
  ...findRuleFaults(files),
  ...findWordFaults([...files, ...(await readPages(root))]),
  ...findNameWordFaults(forbidden, oldNames),
];
for (const fault of faults) console.error(fault);
if (faults.length > 0) process.exitCode = 1;
