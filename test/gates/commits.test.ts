import { expect, test } from 'vitest';
import { findCommitFaults, readCommits } from '../../scripts/checks/commit-faults.ts';

test('a commit that changes a promise and the program is a fault', () => {
  const log =
    '\0a1 Move a file\n\nsrc/a.ts\ntest/unit/a.test.ts\n' +
    '\0a2 Promise more\n\ntest/promises/undo.test.ts\ntest/support/wait-for.ts\n' +
    '\0a3 Do both\n\ntest/promises/undo.test.ts\ncommands/undo.ts\n';
  expect(findCommitFaults(readCommits(log))).toEqual([
    'a3 Do both: changes test/promises and the program; make two commits',
  ]);
});
