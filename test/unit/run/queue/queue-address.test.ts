import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { isExposed, queueAddress } from '../../../../src/run/queue/queue-address.ts';
import { makeSyncerWorld } from '../../../support/run-syncer.ts';

describe('the address of a queue', () => {
  test.each([
    ['redis://host', { host: 'host', port: 6379, isTls: false, database: 0 }],
    ['rediss://me@host:6380/3', { host: 'host', port: 6380, isTls: true, user: 'me', database: 3 }],
    ['redis://[::1]:7000/', { host: '::1', port: 7000 }],
    ['unix:/run/redis.sock', { socket: '/run/redis.sock', isTls: false }],
    ['unix:///run/a%20b?user=me&db=2', { socket: '/run/a b', user: 'me', database: 2 }],
  ])('%s', (text, wanted) => {
    expect(queueAddress(text, {})).toMatchObject(wanted);
    expect(queueAddress('', { SYNCER_QUEUE: text })).toEqual(queueAddress(text, {}));
  });

  test.each([
    ['host:6379', 'not a valid URL'],
    ['http://host', '"http://" is no scheme of a queue'],
    ['redis://host:x', 'not a valid URL'],
    ['redis:///1', 'the host is missing'],
    ['redis://host/one', 'the database must be a number'],
    ['redis://host/65536', 'the database must be a number'],
    ['redis://host?tls=1', 'nothing may follow'],
    ['redis://us%er@host', 'must be written %25'],
    ['redis://user:pass#word@host', 'not a valid URL'],
    ['redis://host#word', 'is written %23'],
    ['unix:run/s', 'must be absolute'],
    ['unix://run/s', 'must be absolute'],
    ['unix:/run/\udcff/s', 'not a valid URL'],
    ['unix:/run/s?password=x', 'only user= and db='],
  ])('%s is refused', (text, why) => {
    expect(() => queueAddress(text, {})).toThrow(why);
  });

  test('a missing one is refused', () => {
    expect(() => queueAddress(undefined, {})).toThrow('the address of the queue is missing');
  });

  test('a password is taken from the environment only, and never shown', () => {
    const url = 'rediss://me:s3cr%25t@host';
    expect(() => queueAddress(url, {})).toThrow('a password on the command line');
    expect(() => queueAddress(url, { SYNCER_QUEUE: 'redis://host' })).toThrow('command line');
    try {
      queueAddress(url, {});
    } catch (thrown) {
      expect(String(thrown)).not.toContain('s3cr');
    }
    const whole = queueAddress(undefined, { SYNCER_QUEUE: url });
    expect(whole).toMatchObject({ user: 'me', password: 's3cr%t', shown: 'rediss://me@host:6379' });
    const apart = queueAddress('rediss://me@host', { SYNCER_QUEUE_PASSWORD: 'other' });
    expect(apart).toMatchObject({ user: 'me', password: 'other' });
    expect(
      queueAddress(undefined, { SYNCER_QUEUE: url, SYNCER_QUEUE_PASSWORD: 'x' }).password,
    ).toBe('x');
    // The password of one server is not sent to another.
    expect(queueAddress('redis://elsewhere', { SYNCER_QUEUE: url }).password).toBeUndefined();
  });

  test('a password may be a reference to a file', async () => {
    const world = await makeSyncerWorld();
    try {
      const path = join(world.dir, 'password');
      await writeFile(path, 'from a file\n');
      const of = (text: string) => queueAddress('redis://h', { SYNCER_QUEUE_PASSWORD: text });
      await writeFile(`${path}.url`, 'redis://me:word@host\n');
      const whole = { SYNCER_QUEUE: `\${file:${path}.url}` };
      // A flag is set to what the variable holds.
      expect(queueAddress(whole.SYNCER_QUEUE, whole).password).toBe('word');
      expect(of(`\${file:${path}}`).password).toBe('from a file');
      expect(() => of(`\${file:${path}.other}`)).toThrow('no such file');
    } finally {
      await world.remove();
    }
  });

  test.each([
    ['redis://host', true],
    ['redis://10.0.0.1', true],
    ['redis://128.0.0.1', true],
    ['redis://127.0.0.1.example.org', true],
    ['rediss://host', false],
    ['redis://localhost', false],
    ['redis://127.0.0.2', false],
    ['redis://[::1]', false],
    ['unix:/run/s', false],
  ])('%s passes a network in clear text: %s', (text, wanted) => {
    expect(isExposed(queueAddress(text, {}))).toBe(wanted);
  });
});
