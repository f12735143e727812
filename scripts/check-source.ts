import { resolve } from 'node:path';
import { findDocCommentFaults, findNamedFileFaults } from './checks/doc-comment-faults.ts';
import { findNameFaults, findSizeFaults, findTypeNameFaults } from './checks/file-faults.ts';
import { findLayerFaults } from './checks/layer-faults.ts';
import { findProseFaults } from './checks/prose-faults.ts';
import { findRuleFaults } from './checks/rule-faults.ts';
import { readPages, readSourceFiles } from './checks/source-files.ts';
import { findWordFaults } from './checks/word-faults.ts';

/** Checks what the linter cannot: layers and cycles, names and lengths of files, doc comments, prose, rules, words. */
const root = resolve(import.meta.dirname, '..');
const files = await readSourceFiles(root);
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
];
for (const fault of faults) console.error(fault);
if (faults.length > 0) process.exitCode = 1;
