import { expect, it } from 'vitest';
import { quoteNames } from '../../../../../src/backends/drive/client/graph-client.ts';

it.each([
  ['GET', '/drives/d/root', '/drives/d/root'],
  ['GET', '/drives/d/root:/a/b', "/drives/d/root/children('@a1')?@a1=%27a%2Fb%27"],
  ['GET', '/drives/d/items/1:/it%27s', "/drives/d/items/1/children('@a1')?@a1=%27it%27%27s%27"],
  ['GET', '/drives/d/root:/a:/children?$top=9', "/drives/d/root/children('a')/children?$top=9"],
  ['PATCH', '/drives/d/root:/a/b%3A', "/drives/d/root/children('a')/children('b%3A')"],
  ['PUT', '/drives/d/items/1:/a%3F:/content', "/drives/d/items/1/children('a%3F')/content"],
  ['GET', '/sites/host:/path', '/sites/host:/path'],
])('%s %s', (method, to, quoted) => {
  expect(quoteNames(method, to)).toBe(quoted);
});
