import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { readPastedToken, tellToken } from '../../../../src/config/dialogue/pasted-token.ts';
import { NOW } from './walk.ts';

const JSON_TEXT = '{"access_token":"a{}\\"b","expiry":"2026-11-20T14:30:00.5+02:00"}';

describe('a pasted login', () => {
  test.each([
    ['as it is', JSON_TEXT],
    [
      'between the marks',
      `Paste the following into your remote machine --->\n${JSON_TEXT}\n<---End paste\n`,
    ],
    ['over lines', JSON_TEXT.replaceAll(',', ',\n  ')],
    ['broken in a string', `${JSON_TEXT.slice(0, 20)}\n${JSON_TEXT.slice(20)}`],
    ['broken by CRLF', `${JSON_TEXT.slice(0, 20)}\r\n${JSON_TEXT.slice(20)}`],
    ['packed', Buffer.from(JSON.stringify({ token: JSON_TEXT })).toString('base64url')],
    ['inside', JSON.stringify({ token: JSON_TEXT })],
  ])('%s', (_, text) => {
    const read = readPastedToken(text);
    expect(read).toEqual({
      state: 'complete',
      json: JSON_TEXT,
      expiresMs: Date.parse('2026-11-20T12:30:00.5Z'),
      hasRefresh: false,
    });
  });

  test('keeps what it does not know', () => {
    const text = '{ "access_token": "a", "refresh_token": "r", "scope": "x" }';
    const read = readPastedToken(text);
    expect(read.state === 'complete' && read.json).toBe(
      '{"access_token":"a","refresh_token":"r","scope":"x"}',
    );
  });

  test('any beginning of it is not complete yet', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: JSON_TEXT.length - 1 }), (length) => {
        expect(readPastedToken(JSON_TEXT.slice(0, length)).state).toBe('incomplete');
      }),
    );
    expect(readPastedToken('Paste the following into your remote machine --->').state).toBe(
      'incomplete',
    );
  });

  test.each([
    ['hello there', 'starts with "{"'],
    ['{"a":1}', 'No access_token'],
    ['{"a":}', 'Not valid JSON'],
    ['{"token":"x"}', 'Not valid JSON'],
  ])('%j is no login', (text, why) => {
    expect(tellToken(readPastedToken(text), NOW)).toEqual({
      text: expect.stringContaining(why),
      isGood: false,
    });
  });

  test.each([
    [
      '{"access_token":"a","refresh_token":"r","expiry":"2000-01-01T00:00:00Z"}',
      'renewed automatically',
      true,
    ],
    ['{"access_token":"a","expiry":"2026-11-20T13:00:00Z"}', 'expires 2026-11-20T13:00:00Z', true],
    [
      '{"access_token":"a","expiry":"2026-11-20T11:00:00Z"}',
      'expired at 2026-11-20T11:00:00Z',
      false,
    ],
    ['{"access_token":"a"}', 'no expiry', true],
    ['', '', true],
    ['{', 'Incomplete', false],
  ])('%j: %s', (text, says, isGood) => {
    const told = tellToken(readPastedToken(text), NOW);
    expect(told).toEqual({ text: expect.stringContaining(says), isGood });
  });
});
