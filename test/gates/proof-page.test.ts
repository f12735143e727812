import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import type { Lies } from '../servers/lies/lie.ts';
import { S3_LIES } from '../servers/lies/s3-lies.ts';

/** The registry of lies of each backend, by its heading on the page. */
const REGISTRIES: Readonly<Record<string, Lies>> = { S3: S3_LIES };

/** The names in the column of lies, and those of the limits, of one part of the page. */
function namesIn(part: string): { seen: string[]; hidden: string[] } {
  const [tables = '', limits = ''] = part.split('\n### ');
  const rows = (text: string) => text.split('\n').filter((line) => line.startsWith('| '));
  const names = (text = '') => [...text.matchAll(/`([a-z0-9-]+)`/g)].map(([, name = '']) => name);
  return {
    seen: rows(tables).flatMap((row) => names(row.split(' | ')[2])),
    hidden: rows(limits).flatMap((row) => names(row.split(' | ')[0])),
  };
}

/** What the page and the registry do not have in common. */
function differences(part: string, lies: Lies): string[] {
  const { seen, hidden } = namesIn(part);
  const wanted = (isHidden: boolean) =>
    Object.keys(lies).filter((name) => (lies[name]?.isHidden === true) === isHidden);
  return [
    ...wanted(false).filter((name) => !seen.includes(name)),
    ...wanted(true).filter((name) => !hidden.includes(name)),
    ...[...seen, ...hidden].filter((name) => lies[name] === undefined),
  ];
}

describe('docs/proof.md', async () => {
  const page = await readFile('docs/proof.md', 'utf8');
  const parts = new Map(page.split('\n## ').map((part) => [part.split('\n', 1)[0] ?? '', part]));

  it.each(Object.entries(REGISTRIES))('names the lies that are told: %s', (heading, lies) => {
    expect(differences(parts.get(heading) ?? '', lies)).toEqual([]);
  });

  it('is found to differ where a lie is missing or not told', () => {
    const part = parts.get('S3') ?? '';
    const { 'put-no-etag': gone = { about: '', of: [], tell: () => undefined }, ...others } =
      S3_LIES;
    expect(differences(part, others)).toEqual(['put-no-etag']);
    expect(differences(part, { ...S3_LIES, 'put-new': gone })).toEqual(['put-new']);
  });
});
