import { expect, test } from 'vitest';
import { corsAnswer, readCorsRules } from '../../../../../src/serve/s3/operations/buckets.ts';

const rule = (...elements: string[]) =>
  `<CORSConfiguration><CORSRule>${elements.join('')}</CORSRule></CORSConfiguration>`;
const origin = (text: string) => `<AllowedOrigin>${text}</AllowedOrigin>`;
const GET = '<AllowedMethod>GET</AllowedMethod>';

test.each([
  ['*', 'http://any', '*'],
  ['http://a', 'http://a', 'http://a'],
  ['http://a', 'http://ab', undefined],
  ['*.suffix', 'http://x.suffix', 'http://x.suffix'],
  ['*.suffix', 'http://x.suffix.evil', undefined],
  ['start*end', 'start-end', 'start-end'],
  ['start*tend', 'startend', undefined],
  ['http://a*', 'http://abc', 'http://abc'],
])('the origin %s for %s', async (pattern, from, allowed) => {
  const question = { origin: from, method: 'GET', headers: '' };
  const answer = corsAnswer(await readCorsRules(rule(origin(pattern), GET)), question);
  expect(answer?.['access-control-allow-origin']).toBe(allowed);
});

test.each([
  ['GET', '', true],
  ['PUT', '', false],
  ['GET', 'X-Amz-Meta-One, content-type', true],
  ['GET', 'authorization', false],
])('the method %s with headers "%s"', async (method, headers, isAllowed) => {
  const allowed =
    '<AllowedHeader>x-amz-meta-*</AllowedHeader><AllowedHeader>Content-Type</AllowedHeader>';
  const rules = await readCorsRules(rule(origin('http://a'), GET, allowed));
  expect(corsAnswer(rules, { origin: 'http://a', method, headers }) !== undefined).toBe(isAllowed);
});

test('what a rule says stands in the answer', async () => {
  const more = '<ExposeHeader>ETag</ExposeHeader><MaxAgeSeconds>60</MaxAgeSeconds>';
  const rules = await readCorsRules(rule(origin('http://a'), GET, more));
  expect(corsAnswer(rules, { origin: 'http://a', method: 'GET', headers: '' })).toEqual({
    'access-control-allow-origin': 'http://a',
    'access-control-allow-methods': 'GET',
    'access-control-allow-credentials': 'true',
    'access-control-expose-headers': 'ETag',
    'access-control-max-age': '60',
    vary: 'Origin, Access-Control-Request-Headers, Access-Control-Request-Method',
  });
});

test.each([
  ['<CORSConfiguration/>', 'MalformedXML'],
  [rule(GET), 'MalformedXML'],
  [rule(origin('http://a')), 'MalformedXML'],
  [rule(origin('a&#13;&#10;b'), GET), 'MalformedXML'],
  [rule(origin('*'), '<AllowedMethod>TRACE</AllowedMethod>'), 'InvalidRequest'],
])('%s is refused', async (text, code) => {
  await expect(readCorsRules(text)).rejects.toMatchObject({ code });
});
