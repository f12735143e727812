import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { makeCaptureWorld } from './captures/capture-world.ts';
import { captureNames, replaceCaptures } from './captures/replace-captures.ts';
import { SCENARIOS } from './captures/scenarios.ts';

/**
 * Makes the captures of screens in `docs` anew: the built program runs in a real terminal (tmux), is led to each
 * screen, and what the terminal shows then is put into the pages.
 */
const docs = resolve(import.meta.dirname, '../docs');
const pages = (await readdir(docs)).filter((name) => name.endsWith('.md'));
const texts = new Map<string, string>();
for (const page of pages) texts.set(page, await readFile(join(docs, page), 'utf8'));
const wanted = new Set([...texts.values()].flatMap(captureNames));

const world = await makeCaptureWorld();
const screens = new Map<string, string>();
try {
  for (const { name, columns = 80, rows = 24, command, reach } of SCENARIOS) {
    if (!wanted.has(name)) continue;
    const terminal = await world.terminal(columns, rows);
    try {
      await terminal.type(command);
      await terminal.keys('Enter');
      await reach(terminal);
      const screen = await terminal.screen();
      screens.set(name, screen.replaceAll(world.home, '/home/ann'));
      console.log(`captured ${name}`);
    } finally {
      await terminal.close();
    }
  }
} finally {
  await world.remove();
}
for (const [page, text] of texts) {
  const replaced = replaceCaptures(text, screens);
  if (replaced !== text) await writeFile(join(docs, page), replaced);
}
