import { expect, test } from 'vitest';
import {
  type RunEvent,
  RunLedger,
  type RunRecord,
} from '../../../../src/webhook/run/run-ledger.ts';

const request = (body = '') => ({
  ...{ method: 'GET', remoteAddress: '127.0.0.1:1', headers: new Map(), query: new Map() },
  ...{ payload: new Map(), body: Buffer.from(body) },
});
const record = (id: string, more: Partial<RunRecord> = {}): RunRecord => ({
  ...{ id, hook: 'h', requestId: 'r', method: 'GET', target: '/', remoteAddress: '127.0.0.1:1' },
  ...{ state: 'running', receivedMs: 1, ...more },
});
const ledger = () => new RunLedger({ maxOver: 2, maxRequestBytes: 3, maxOutputBytes: 4 });

test('the last runs that are over stay, and all that go on', () => {
  const kept = ledger();
  kept.open(record('going'), request());
  for (const id of ['1', '2', '3']) {
    kept.open(record(id), request());
    kept.change(id, { state: 'done' });
  }
  kept.open(record('4', { state: 'refused' }), request());
  expect(kept.list().map(({ id }) => id)).toEqual(['4', '3', 'going']);
  expect(kept.details('1')).toBeUndefined();
});

test('the end of the output stays, and requests that are small', () => {
  const kept = ledger();
  kept.open(record('small'), request('abc'));
  kept.open(record('large'), request('abcd'));
  for (const chunk of ['12', '345', '6789']) kept.output('small', Buffer.from(chunk));
  expect(kept.details('small')?.output.toString()).toBe('6789');
  expect(kept.details('small')?.request?.body.toString()).toBe('abc');
  expect(kept.details('large')?.request).toBeUndefined();
});

test('who watches learns what happens until he ends it', () => {
  const kept = ledger();
  const seen: RunEvent[] = [];
  const stop = kept.watch((event) => void seen.push(event));
  kept.open(record('a'), request());
  kept.output('a', Buffer.from('x'));
  kept.change('a', { state: 'failed', failure: 'exit status 1' });
  stop();
  kept.open(record('b'), request());
  expect(
    seen.map((event) => (event.type === 'run' ? event.run.state : event.chunk.toString())),
  ).toEqual([...['running', 'x', 'failed']]);
});
