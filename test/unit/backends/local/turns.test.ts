import { describe, expect, it } from 'vitest';
import { Turns } from '../../../../src/backends/local/local-disk.ts';

describe('Turns', () => {
  it('lets other work in between long pieces of synchronous work', async () => {
    const turns = new Turns();
    let others = 0;
    const timer = setInterval(() => {
      others++;
    }, 0);
    for (let piece = 0; piece < 20; piece++) {
      await turns.take();
      const end = performance.now() + 6;
      while (performance.now() < end);
    }
    clearInterval(timer);
    expect(others).toBeGreaterThan(0);
  });
});
