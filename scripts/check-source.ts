import { resolve } from 'node:path';
import { findDocCommentFaults } from './checks/doc-comment-faults.ts';
import { findNameFaults, findSizeFaults } from './checks/file-faults.ts';
import { findLayerFaults } from './checks/layer-faults.ts';
import { readSourceFiles } from './checks/source-files.ts';

/** Checks what the linter cannot: layers and cycles, names and lengths of files, doc comments. */
const files = await readSourceFiles(resolve(import.meta.dirname, '..'));
const faults = [
  ...findLayerFaults(files),
  ...findNameFaults(files.map(({ path }) => path)),
  ...findSizeFaults(files),
  ...findDocCommentFaults(files.filter(({ path }) => /^(src|scripts|components)\//.test(path))),
];
for (const fault of faults) console.error(fault);
if (faults.length > 0) process.exitCode = 1;
