import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { GRAPH_LIES } from './graph-lies.ts';

const PAGE = readFileSync(new URL('../../../../docs/proof.md', import.meta.url), 'utf8');
const section = PAGE.split(/^## /m).find((part) => part.startsWith('Graph\n')) ?? '';
const [table = '', limits = ''] = section.split('\nLimits:\n');
/** Lies have names of several words; a single one is a code or a field. */
const lies = (text: string) =>
  [...text.matchAll(/`([a-z]+(?:-[a-z0-9]+)+)`/g)].map(([, name]) => name ?? '');

it('names every lie that the server tells, and those that cannot be seen as limits', () => {
  const hidden = (isHidden: boolean) =>
    Object.entries(GRAPH_LIES).flatMap(([name, lie]) =>
      (lie.isHidden === true) === isHidden ? [name] : [],
    );
  expect(hidden(false).filter((name) => !lies(table).includes(name))).toEqual([]);
  expect(hidden(true).filter((name) => !lies(limits).includes(name))).toEqual([]);
});

it('names no lie that the server does not tell', () => {
  const rows = section.split('\n').filter((line) => line.startsWith('|'));
  const told = rows.slice(2).flatMap((row) => lies(row.split('|')[3] ?? ''));
  expect(told.filter((name) => GRAPH_LIES[name] === undefined)).toEqual([]);
  expect(told.length).toBeGreaterThan(50);
});
