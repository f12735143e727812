import { describe, expect, test } from 'vitest';
import { answer, begin } from '../../../../src/config/dialogue/conversation.ts';
import { menuScript } from '../../../../src/config/dialogue/menu-script.ts';
import { savedBy, walk, worldOf } from './walk.ts';

const TOKEN = '{"access_token":"a","expiry":"2026-11-20T14:00:00+01:00"}';
const start = (sections: Readonly<Record<string, Record<string, string>>> = {}) =>
  begin(() => menuScript(worldOf(sections)));

describe('the order of the questions', () => {
  test('of a cloud drive is that of the specification', () => {
    const { asked, conversation } = walk(start(), [
      'n',
      'work',
      '2',
      'id',
      'sec',
      'n',
      'n',
      TOKEN,
      '1',
      '2',
      'y',
    ]);
    expect(asked).toEqual([
      'n/s/i/q',
      'name',
      'Storage',
      'client_id',
      'client_secret',
      'y/n',
      'y/n/d',
      'config_token',
      'config_type',
      'config_driveid',
      'y/e/d/t',
    ]);
    const { name, kind, values } = savedBy(conversation);
    expect([name, kind.type]).toEqual(['work', 'drive_provider_a']);
    expect([...values]).toEqual([
      ['client_id', 'id'],
      ['client_secret', 'sec'],
      ['token', TOKEN],
      ['drive_id', 'drive-2'],
      ['drive_type', 'business'],
    ]);
  });

  test('of S3: provider, credentials, region, endpoint, advanced', () => {
    const { asked, conversation } = walk(start(), [
      'n',
      'store',
      's3',
      'Other',
      '1',
      'AK',
      'secret',
      '',
      'http://localhost:9000',
      '',
      '',
    ]);
    expect(asked.slice(3)).toEqual([
      'provider',
      'env_auth',
      'access_key_id',
      'secret_access_key',
      'region',
      'endpoint',
      'y/n',
      'y/e/d/t',
    ]);
    expect([...savedBy(conversation).values]).toEqual([
      ['provider', 'Other'],
      ['env_auth', 'false'],
      ['access_key_id', 'AK'],
      ['secret_access_key', 'secret'],
      ['endpoint', 'http://localhost:9000'],
    ]);
  });

  test('of S3 with credentials from the environment leaves the keys out', () => {
    const { asked } = walk(start(), ['n', 'store', 's3', 'AWS', 'y', 'eu-west-1', '', 'n', 'y']);
    expect(asked.slice(4)).toEqual(['env_auth', 'region', 'endpoint', 'y/n', 'y/e/d/t']);
  });

  test('of a local disk: nothing', () => {
    const { asked, conversation } = walk(start(), ['n', 'disk', 'local', 'y']);
    expect(asked).toEqual(['n/s/i/q', 'name', 'Storage', 'y/e/d/t']);
    expect([...savedBy(conversation).values]).toEqual([]);
  });

  test('with the browser or another device no token is pasted', () => {
    for (const how of ['y', 'd']) {
      const lines = ['n', 'work', 'onedrive', 'id', '', 'n', how, '1', '1', 'y'];
      const { asked, conversation } = walk(start(), lines);
      expect(asked).not.toContain('config_token');
      expect(savedBy(conversation).values.get('token')).toContain('from the browser');
    }
  });

  test('a field for the ID of the application says what needs it', () => {
    const { step } = walk(start(), ['n', 'd', 'drive_provider_a']).conversation;
    const remark = (text: string) => step.kind === 'ask' && step.question.remark(text);
    expect(remark('')).toBe('It is needed to log in, and to renew a login.');
    expect(remark('id')).toBeUndefined();
  });

  test('advanced options come in the order of the table, and only changes are stored', () => {
    const begun = walk(start(), ['n', 'd', 'drive_provider_a', 'id', '', 'y']).conversation;
    const { step } = begun;
    expect(step.kind === 'ask' && step.question.title).toBe('auth_url');
    const options = Array.from({ length: 19 }, () => '');
    options[1] = 'https://login.example.com/token';
    const { conversation } = walk(begun, options);
    const draft = conversation.step.kind === 'ask' ? conversation.step.draft : undefined;
    expect([...(draft?.values ?? [])]).toEqual([
      ['client_id', 'id'],
      ['token_url', 'https://login.example.com/token'],
    ]);
  });
});

const STORE = {
  type: 's3',
  provider: 'Other',
  access_key_id: 'AK',
  secret_access_key: 's',
  extra: 'x',
};

describe('what the menu does', () => {
  test('a remote is edited: Enter keeps what it had, "" takes it away', () => {
    const { conversation } = walk(start({ store: STORE }), [
      'e',
      '1',
      '',
      '',
      '""',
      '""',
      'us-east-1',
      'localhost',
      'n',
      'y',
    ]);
    const draft = savedBy(conversation);
    expect([...draft.values]).toEqual([
      ['provider', 'Other'],
      ['extra', 'x'],
      ['region', 'us-east-1'],
      ['endpoint', 'localhost'],
    ]);
    expect(draft.original?.get('secret_access_key')).toBe('s');
  });

  test.each([
    ['are kept', ['y'], ['AK', 's']],
    ['are kept unless their deletion is confirmed', ['x', '', 'y'], ['AK', 's']],
    ['are deleted when that is confirmed', ['x', 'y', 'y'], [undefined, undefined]],
  ])('keys that env_auth makes unneeded %s', (_, end, kept) => {
    const lines = ['e', 'store', '', 'true', '', '', 'n'];
    const { step } = walk(start({ store: STORE }), lines).conversation;
    expect(step.kind === 'ask' && step.question.warning).toBe(
      'The stored access_key_id and secret_access_key are kept and used first; x deletes.',
    );
    const { values } = savedBy(walk(start({ store: STORE }), [...lines, ...end]).conversation);
    const of = (key: string) => values.get(key);
    expect([of('env_auth'), of('access_key_id'), of('secret_access_key')]).toEqual([
      'true',
      ...kept,
    ]);
  });

  test('what saving deletes or replaces is named, and Enter is no answer', () => {
    const lines = ['e', 'store', '', '', 'AK2', '""', '', '', 'n'];
    const { step } = walk(start({ store: STORE }), lines).conversation;
    expect(step.kind === 'ask' && step.question.warning).toBe(
      'Saving deletes the stored secret_access_key.\nSaving replaces the stored access_key_id.',
    );
    expect(() => walk(start({ store: STORE }), [...lines, ''])).toThrow('must be one of');
  });

  test('one option is edited by itself, and those that then apply', () => {
    const at = walk(start({ store: STORE }), ['e', 'store', '', '', '', '', '', '', 'n']);
    const one = (...answers: string[]) =>
      answers.reduce((now, text) => answer(now, text), at.conversation);
    expect([...savedBy(one('e:region', 'eu', 'y')).values].at(-1)).toEqual(['region', 'eu']);
    const asked = (conversation: ReturnType<typeof one>) =>
      conversation.step.kind === 'ask' ? conversation.step.question.title : '';
    const bare = walk(start({ b: { type: 's3', env_auth: 'true' } }), [
      'e',
      'b',
      '',
      '',
      '',
      '',
      'n',
    ]);
    expect(asked(answer(answer(bare.conversation, 'e:env_auth'), 'false'))).toBe('access_key_id');
  });

  test('~ in the target of an alias is the home directory', () => {
    const { conversation } = walk(start(), ['n', 'a', 'alias', '~/data', 'y']);
    expect(savedBy(conversation).values.get('remote')).toBe('/home/me/data');
    expect(() => walk(start(), ['n', 'a', 'alias', '~you/data'])).toThrow('other users');
  });

  test('e at the end goes through the questions again', () => {
    const { asked } = walk(start({ store: STORE }), [
      'e',
      'store',
      '',
      '',
      '',
      '',
      '',
      '',
      'n',
      'e',
    ]);
    const { conversation } = walk(
      walk(start({ store: STORE }), ['e', 'store', '', '', '', '', '', '', 'n', 'e']).conversation,
      ['AWS', '', '', '', '', '', 'n', 'y'],
    );
    expect(asked.at(-1)).toBe('y/e/d/t');
    expect(savedBy(conversation).values.get('provider')).toBe('AWS');
  });

  test.each([
    [['d', 'store', 'y'], { type: 'delete', name: 'store' }],
    [['d', 'store', ''], { type: 'nothing' }],
    [['r', '1', 'shop'], { type: 'rename', from: 'store', to: 'shop' }],
    [['c', 'store', ''], { type: 'copy', from: 'store', to: 'store-copy' }],
    [['q'], { type: 'quit' }],
    [['s', 'a', 'pw', 'pw'], { type: 'password', password: 'pw' }],
    [['s', 'q'], { type: 'nothing' }],
    [['e', 'store', '', '', '', '', '', '', 'n', 'y'], { type: 'nothing' }],
    [['e', 'odd', 'q'], { type: 'nothing' }],
  ])('%j', (lines, outcome) => {
    const { conversation } = walk(start({ store: STORE, odd: { type: 'unheard-of' } }), lines);
    expect(conversation.step).toEqual({ kind: 'end', outcome });
  });

  test.each(['d', 'r'])('%s names the jobs that use the remote', (letter) => {
    const sections = { store: STORE, other: STORE };
    const about = (name: string) => {
      const { step } = walk(start(sections), [letter, name]).conversation;
      return step.kind === 'ask' ? step.question.about : '';
    };
    expect(about('store')).toMatch(/\. 1 job uses store: nightly\.$/);
    expect(about('other')).not.toContain('job');
  });

  test('a name that is taken, or that no remote may have, is refused', () => {
    const begun = walk(start({ store: STORE }), ['n']).conversation;
    expect(() => walk(begun, ['store'])).toThrow('A remote named "store" already exists.');
    expect(() => walk(begun, ['a:b'])).toThrow('Invalid name: names may contain letters');
    expect(() => walk(begun, [''])).toThrow('Enter a name.');
  });

  test('the second password cannot be left out', () => {
    expect(() => walk(start(), ['s', 'a', 'one', ''])).toThrow('Enter the password again.');
  });

  test('two passwords that differ are both asked again', () => {
    const { step } = walk(start(), ['s', 'a', 'one', 'two']).conversation;
    expect(step.kind === 'ask' && step.question).toMatchObject({
      id: 'password/new',
      problem: 'The two passwords differ. Enter both again.',
    });
    const { conversation } = walk(start(), ['s', 'a', 'one', 'two', 'pw', 'pw']);
    expect(conversation.step).toEqual({
      kind: 'end',
      outcome: { type: 'password', password: 'pw' },
    });
  });
});
