/** An `ar` archive as Debian's packages are (deb(5)): members in this order, owned by root. */
export function writeAr(
  members: readonly (readonly [name: string, content: Buffer])[],
  time: number,
): Buffer {
  const parts: Buffer[] = [Buffer.from('!<arch>\n')];
  for (const [name, content] of members) {
    const fields = [
      name.padEnd(16),
      `${time}`.padEnd(12),
      '0'.padEnd(6),
      '0'.padEnd(6),
      '100644'.padEnd(8),
      `${content.length}`.padEnd(10),
    ];
    parts.push(Buffer.from(`${fields.join('')}\`\n`), content);
    if (content.length % 2 === 1) parts.push(Buffer.from('\n'));
  }
  return Buffer.concat(parts);
}
