import { expect, test } from 'vitest';
import { refuseCycles } from '../../../scripts/bundle/bundle.ts';

test('files that would wait for each other are refused', () => {
  const chunks = [
    { fileName: 'chunks/a.js', imports: ['chunks/b.js', 'node:fs'] },
    { fileName: 'chunks/b.js', imports: ['chunks/c.js'] },
    { fileName: 'chunks/c.js', imports: [] },
  ];
  expect(() => refuseCycles(chunks)).not.toThrow();
  const [a, b] = chunks.slice(0, 2);
  const closed = [a, b, { fileName: 'chunks/c.js', imports: ['chunks/a.js'] }].flatMap(
    (one) => one ?? [],
  );
  expect(() => refuseCycles(closed)).toThrow(
    'files import each other: chunks/a.js → chunks/b.js → chunks/c.js → chunks/a.js',
  );
});
