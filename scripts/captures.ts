import { mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { drawPictures } from './captures/draw-pictures.ts';

/** Draws the pictures of `docs/pictures`: the built programs run in a real terminal (tmux) and are led to each screen. */
const folder = resolve(import.meta.dirname, '../docs/pictures');
const pictures = await drawPictures();
await mkdir(folder, { recursive: true });
for (const file of await readdir(folder)) {
  if (!pictures.has(file.replace('.svg', ''))) await rm(join(folder, file));
}
for (const [name, svg] of pictures) await writeFile(join(folder, `${name}.svg`), svg);
console.log(`drew ${pictures.size} pictures in ${folder}`);
