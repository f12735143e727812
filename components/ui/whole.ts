import { type DOMElement, measureElement } from 'ink';

/** Whether a box lies, with all its rows, inside all boxes around it, as they are laid out: nothing of it is cut off. */
export function isWhole(box: DOMElement, rows: number): boolean {
  const { x, y, width, height } = measureElement(box);
  for (let around = box.parentNode; around !== undefined; around = around.parentNode) {
    const room = measureElement(around);
    const isInside =
      x >= room.x &&
      y >= room.y &&
      x + width <= room.x + room.width &&
      y + height <= room.y + room.height;
    if (!isInside) return false;
  }
  return height === rows;
}
