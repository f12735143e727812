import { expect, test } from 'vitest';
import { fileEntry, scannedBrowser } from './fake-effects.ts';

test('an object that could not be deleted is tried again, not the directory of its name', async () => {
  const entries = [fileEntry('d/x', 600), fileEntry('d', 10)];
  const browser = await scannedBrowser({}, {}, entries);
  browser.keys('jdy');
  await browser.settle();
  const [removal] = browser.removals;
  const [node = 0] = removal?.nodes ?? [];
  removal?.report.failed(node, 'd', 'access denied');
  removal?.done();
  await browser.settle();
  browser.keys('T<enter>r');
  expect(browser.screen()).toContain('Delete 1 object: 10 B');
});
