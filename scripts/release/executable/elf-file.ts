/** A program header of a 64-bit ELF file (System V ABI, "Program Header"). */
export interface ProgramHeader {
  readonly type: number;
  readonly flags: number;
  /** In the file, in bytes. */
  readonly offset: number;
  /** In memory. */
  readonly address: number;
  readonly fileSize: number;
  readonly memorySize: number;
  readonly align: number;
}

/** Types of program headers. */
export const PT = { LOAD: 1, NOTE: 4, PHDR: 6 } as const;

/** The size of one program header in the file, in bytes. */
export const HEADER_SIZE = 56;

/** Where things stand in the head of a 64-bit ELF file. */
export const AT = { machine: 18, headers: 32, sections: 40, headerCount: 56, sectionSizes: 58 };

/** The program headers of an executable. Throws where it is no 64-bit little-endian executable at a fixed address. */
export function readHeaders(file: Buffer): readonly ProgramHeader[] {
  const isElf64 = file.toString('latin1', 0, 6) === '\x7fELF\x02\x01';
  const ET_EXEC = 2;
  if (!isElf64 || file.readUInt16LE(16) !== ET_EXEC) {
    throw new Error('not a 64-bit executable at a fixed address');
  }
  const from = Number(file.readBigUInt64LE(AT.headers));
  return Array.from({ length: file.readUInt16LE(AT.headerCount) }, (_, i) => {
    const at = from + i * HEADER_SIZE;
    const long = (index: number) => Number(file.readBigUInt64LE(at + 8 * index));
    return {
      type: file.readUInt32LE(at),
      flags: file.readUInt32LE(at + 4),
      offset: long(1),
      address: long(2),
      fileSize: long(4),
      memorySize: long(5),
      align: long(6),
    };
  });
}

/** The bytes of program headers. */
export function writeHeaders(headers: readonly ProgramHeader[]): Buffer {
  const bytes = Buffer.alloc(headers.length * HEADER_SIZE);
  for (const [i, header] of headers.entries()) {
    const at = i * HEADER_SIZE;
    const { offset, address, fileSize, memorySize, align } = header;
    bytes.writeUInt32LE(header.type, at);
    bytes.writeUInt32LE(header.flags, at + 4);
    const longs = [offset, address, address, fileSize, memorySize, align];
    for (const [n, long] of longs.entries()) bytes.writeBigUInt64LE(BigInt(long), at + 8 * (n + 1));
  }
  return bytes;
}
